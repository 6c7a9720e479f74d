import { createHash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ownRelay, TOKEN } from "../support/relay.ts";

const BROWSER = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
};

async function setUp(changes: Record<string, string> = {}) {
  const { harness, relay } = await ownRelay(changes, { http: true, workers: false });
  const visit = (query: string, headers: Record<string, string> = BROWSER) =>
    fetch(`${relay.url}/callbacks/${TOKEN}${query}`, { headers, redirect: "manual" });
  return { harness, relay, visit };
}

describe("a payer's browser", () => {
  it("gets a page with nothing of the invoice and nothing of its own words (G3), whatever is named", async () => {
    const { visit } = await setUp();
    const id = randomUUID();
    const pages = new Set<string>();
    for (const query of [
      `?invoiceId=${id}&status=Paid&name=Mallory`,
      "",
      "/order-17",
      `?a=${id}&b=${randomUUID()}`,
    ]) {
      const answer = await visit(query);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      pages.add(await answer.text());
    }
    expect(pages.size).toBe(1);
  });

  it("is recorded like any callback, and asks like any", async () => {
    const { harness, visit } = await setUp();
    const id = randomUUID();
    await visit(`?invoiceId=${id}`);
    expect(await harness.query("select found_by, verdict, method from callback")).toEqual([
      { found_by: "query:invoiceId", verdict: null, method: "GET" },
    ]);
    expect(await harness.query("select invoice_id::text from confirmation")).toEqual([{ invoice_id: id }]);
  });

  it.each([
    ["a wrong token", `/callbacks/${"x".repeat(24)}?invoiceId=1`],
    ["a cut-off address", "/callbacks"],
    ["an address that never was", "/nothing/here"],
  ])(
    "gets a page of its own for %s, without a word for operators; a program gets text",
    async (_name, path) => {
      const { relay } = await setUp();
      const seen = await fetch(`${relay.url}${path}`, { headers: BROWSER });
      const page = await seen.text();
      expect([seen.status, seen.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(seen.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page).not.toMatch(/token|callback|relay|wrong|error|404/i);
      const plain = await fetch(`${relay.url}${path}`, { headers: { accept: "application/json" } });
      expect([plain.status, plain.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    },
  );

  it("gets a policy that allows no script, no frame and no style but the page's own, no referrer, no cache", async () => {
    const { visit } = await setUp();
    const answer = await visit(`?id=${randomUUID()}`);
    const style = /<style>([^<]+)</.exec(await answer.text())?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    expect(answer.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("is sent to CALLBACK_REDIRECT_URL where there is one, after it was recorded, with nothing of the callback", async () => {
    const { harness, visit } = await setUp({ CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" });
    const answer = await visit(`?invoiceId=${randomUUID()}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://shop.example.com/thanks"]);
    expect(await harness.query("select from callback")).toHaveLength(1);
  });

  it.each([
    ["anything", { accept: "*/*" }],
    ["HTML with q=0", { accept: "text/html;q=0, */*" }],
    ["JSON", { accept: "application/json", "sec-fetch-mode": "cors" }],
  ])("is not what accepts %s: the plain answer, never a redirect", async (_name, headers) => {
    const { visit } = await setUp({ CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" });
    const answer = await visit("", headers);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  it("nor is a POST of a sender that says it takes HTML", async () => {
    const { relay } = await setUp({ CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" });
    const answer = await relay.callback({}, { headers: BROWSER, redirect: "manual" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  });
});
