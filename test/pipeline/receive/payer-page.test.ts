import { createHash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { comesFromBrowser } from "../../../src/pipeline/receive/read-request.ts";
import { onceForAll } from "../../support/own-test.ts";
import { ownRelay, TOKEN } from "../../support/relay.ts";

const NAVIGATES = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
};

it.each<[string, string, Record<string, string>, boolean]>([
  ["that navigates", "GET", NAVIGATES, true],
  ["that asks for HTML by name", "GET", { accept: "application/xml, Text/HTML;q=0.1" }, true],
  ["that takes anything", "GET", { accept: "*/*" }, false],
  ["that wants no HTML", "GET", { accept: "text/html;q=0, */*" }, false],
  ["that wants JSON", "GET", { accept: "application/json", "sec-fetch-mode": "cors" }, false],
  ["that posts, and says that it takes HTML", "POST", NAVIGATES, false],
])("whether a sender %s is a payer's browser", (_who, method, headers, isBrowser) => {
  expect(comesFromBrowser({ method, headers })).toBe(isBrowser);
});

describe("a payer's browser", () => {
  const own = onceForAll(() => ownRelay({}, { http: true, workers: false }));
  const visit = (path: string, headers: Record<string, string> = NAVIGATES) =>
    fetch(`${own().relay.url}${path}`, { headers, redirect: "manual" });

  it("gets one page with nothing of the invoice and nothing of its own words (G3), and asks like any callback", async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const asked = [`?invoiceId=${one}&status=Paid&name=Mallory`, "", "/order-17", `?a=${other}`];
    const answers = await Promise.all(asked.map((rest) => visit(`/callbacks/${TOKEN}${rest}`)));
    for (const { status, headers } of answers)
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const pages = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(pages.size).toBe(1);
    const { query } = own().harness;
    expect(await query("select from callback where method = 'GET'")).toHaveLength(asked.length);
    const confirmations = await query("select invoice_id from confirmation");
    expect(confirmations.map(({ invoice_id }) => invoice_id).sort()).toEqual([one, other].sort());
  });

  it.each([
    ["a wrong token", `/callbacks/${"x".repeat(24)}?invoiceId=1`],
    ["a cut-off address", "/callbacks"],
    ["an address that never was", "/nothing/here"],
  ])(
    "gets a page of its own for %s, without a word for operators; a program gets text",
    async (_name, path) => {
      const seen = await visit(path);
      expect([seen.status, seen.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(await seen.text()).not.toMatch(/token|callback|relay|wrong|error|404/i);
      const plain = await visit(path, { accept: "application/json" });
      expect([plain.status, plain.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    },
  );

  it("gets a policy that allows no script, no frame and no style but the page's own, no referrer, no cache", async () => {
    for (const path of [`/callbacks/${TOKEN}`, "/nothing/here"]) {
      const answer = await visit(path);
      const style = /<style>([^<]+)</.exec(await answer.text())?.[1] ?? "";
      const digest = createHash("sha256").update(style).digest("base64");
      expect(answer.headers.get("content-security-policy")).toBe(
        `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });
});

it("a payer's browser goes to CALLBACK_REDIRECT_URL once it was recorded, a program gets the plain answer", async () => {
  const to = "https://shop.example.com/thanks";
  const { harness, relay } = await ownRelay({ CALLBACK_REDIRECT_URL: to }, { http: true, workers: false });
  const path = `${relay.url}/callbacks/${TOKEN}?invoiceId=${randomUUID()}`;
  const answer = await fetch(path, { headers: NAVIGATES, redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, to]);
  expect(await harness.query("select from callback")).toHaveLength(1);
  const plain = await relay.callback({}, { headers: NAVIGATES, redirect: "manual" });
  expect([plain.status, plain.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
});
