import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { Secret } from "../../src/kit/secret.ts";
import { sealedId } from "../../src/receive/payer-page/payer-page-routes.ts";
import { openSession } from "../support/database.ts";
import { ownRelay, startRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";

const BROWSER = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
};

async function house(changes: Record<string, string> = {}, workers = true) {
  const { around, relay } = await ownRelay(changes, { http: true, workers });
  const visit = (query: string, headers: Record<string, string> = BROWSER) =>
    fetch(`${relay.url}/callbacks/${TOKEN}${query}`, { headers, redirect: "manual" });
  return { around, relay, visit };
}

const followedBy = (page: string) => /data-follow="([^"]+)"/.exec(page)?.[1] ?? null;

describe("a payer's browser", () => {
  it("gets a page that follows the confirmed state, nothing else of the invoice and nothing of its own words (G3)", async () => {
    const { around, relay, visit } = await house();
    const id = randomUUID();
    let paid = false;
    around.provider.invoice(id, (_request, response) => {
      const script = paid ? invoiceAnswer(id) : unpaidAnswer(id);
      if (typeof script !== "function") response.writeHead(script.status).end(JSON.stringify(script.body));
    });
    const answer = await visit(`?invoiceId=${id}&status=Paid&name=Mallory%3Cscript%3E`);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    const address = followedBy(page);
    expect(address).toMatch(/^\/payment-pages\/[0-9a-f-]{36}\.[\w-]{22}$/);
    // An address is made up, and may hold any digits.
    const rest = page.replaceAll(address ?? "", "");
    for (const said of [id, TOKEN, "Mallory", "script>alert", "School", "1500"])
      expect(rest).not.toContain(said);

    const state = async () => await (await fetch(`${relay.url}${address}/state`)).json();
    await vi.waitFor(() => expect(around.provider.requests.length).toBeGreaterThan(0));
    expect(await state()).toEqual({ state: "confirming" });
    paid = true;
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => expect(await state()).toEqual({ state: "confirmed" }));
    // Without JavaScript: the page's own address, which the noscript part leads to.
    expect(page).toContain(`<noscript><meta http-equiv="refresh" content="5; url=${address}"></noscript>`);
    expect(await (await fetch(`${relay.url}${address}`)).text()).toContain("Payment confirmed");
  });

  it("is recorded like any callback, and asks like any", async () => {
    const { around, visit } = await house({}, false);
    const id = randomUUID();
    await visit(`?invoiceId=${id}`);
    expect(await around.query("select found_by, verdict, method from callback")).toEqual([
      { found_by: "query:invoiceId", verdict: null, method: "GET" },
    ]);
    expect(await around.query("select invoice_id::text from confirmation")).toEqual([{ invoice_id: id }]);
  });

  it("can tell unpaid, unknown, invalid and quarantined apart in nothing: no oracle", async () => {
    const { around, relay, visit } = await house({}, false);
    const states = new Set<string>();
    for (const verdict of ["pending", "unknown_invoice", "invalidated", "quarantined", "not_paid"]) {
      const id = randomUUID();
      const address = followedBy(await (await visit(`?invoiceId=${id}`)).text());
      await around.query("update confirmation set verdict = $2 where invoice_id = $1", [id, verdict]);
      const answer = await fetch(`${relay.url}${address}/state`);
      states.add(`${answer.status} ${await answer.text()}`);
    }
    expect([...states]).toEqual(['200 {"state":"confirming"}']);
  });

  it("cannot open a state by an invoice's id, another's callback, or one of an hour ago", async () => {
    const { around, relay, visit } = await house({}, false);
    const id = randomUUID();
    await visit(`?invoiceId=${id}`);
    await around.query("update confirmation set verdict = 'paid'");
    // A machine's callback has an id of the same kind, but no page.
    await relay.callback({ data: { id } });
    const rows = await around.query<{ id: string }>("select id::text from callback where method = 'POST'");
    const old = `${(Date.now() - 3_700_000).toString(16).padStart(12, "0")}`;
    const oldId = `${old.slice(0, 8)}-${old.slice(8)}-7abc-8abc-0123456789ab`;
    const others = [rows[0]?.id ?? "", oldId].map((other) => sealedId(other, new Secret(TOKEN)));
    for (const guess of [...others, id, oldId, "x", `${others[0]}%00`, "..%2f..%2fmetrics"]) {
      const answer = await fetch(`${relay.url}/payment-pages/${guess}/state`);
      expect(answer.status, guess).toBe(404);
    }
  });

  it("costs Postgres nothing with an address that was not given out: made up, or changed", async () => {
    const { around, relay, visit } = await house({}, false);
    const address = followedBy(await (await visit(`?invoiceId=${randomUUID()}`)).text()) ?? "";
    const [id = "", seal = ""] = address.replace("/payment-pages/", "").split(".");
    const guesses = [id, `${id}.`, `${newId()}.${seal}`, `${newId()}.${"A".repeat(22)}`, `${id}.${seal}A`];
    const other = await openSession(around.databaseUrl);
    await other.query("begin; lock table callback in access exclusive mode");
    for (const guess of guesses)
      for (const path of [guess, `${guess}/state`])
        expect((await fetch(`${relay.url}/payment-pages/${path}`)).status, path).toBe(404);
    await other.query("rollback");
    expect((await fetch(`${relay.url}${address}/state`)).status).toBe(200);
  });

  it("may come back to any process that still takes the token with which it came", async () => {
    const { around, visit } = await house({}, false);
    const address = followedBy(await (await visit(`?invoiceId=${randomUUID()}`)).text());
    const status = async (tokens: string) => {
      const changes = { CALLBACK_TOKENS: tokens };
      const relay = await startRelay(around.environment(changes), { http: true, workers: false });
      return (await fetch(`${relay.url}${address}/state`)).status;
    };
    const next = "next-token-0123456789abcdef";
    expect(await status(`${next},${TOKEN}`)).toBe(200);
    expect(await status(next)).toBe(404);
  });

  it("gets a page that follows nothing when nothing, or more than one invoice, is named", async () => {
    const { visit } = await house({}, false);
    for (const query of ["", "/order-17", `?one=${randomUUID()}&other=${randomUUID()}`, "?status=Paid"]) {
      const answer = await visit(query);
      expect(answer.status).toBe(200);
      const page = await answer.text();
      expect(page).toContain("being confirmed");
      expect(followedBy(page)).toBeNull();
    }
  });

  it.each([
    ["a wrong token", `/callbacks/${"x".repeat(24)}?invoiceId=1`],
    ["a cut-off address", "/callbacks"],
    ["an address that never was", "/nothing/here"],
  ])(
    "gets a page of its own for %s, without a word for operators; a program gets text",
    async (_name, path) => {
      const { relay } = await house({}, false);
      const seen = await fetch(`${relay.url}${path}`, { headers: BROWSER });
      const page = await seen.text();
      expect([seen.status, seen.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(seen.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page).toContain("<h1>This page does not exist</h1>");
      expect(page).not.toMatch(/token|callback|relay|wrong|error|404/i);
      const plain = await fetch(`${relay.url}${path}`, { headers: { accept: "application/json" } });
      expect([plain.status, plain.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    },
  );

  it("without JavaScript stops looking busy after a minute, and looks less often", async () => {
    const { around, relay, visit } = await house({}, false);
    const now = followedBy(await (await visit(`?invoiceId=${randomUUID()}`)).text()) ?? "";
    expect(await (await fetch(`${relay.url}${now}`)).text()).toContain(
      "<title>Confirming your payment</title>",
    );
    // The same page, opened by a callback of two minutes ago.
    const receivedAt = Date.now() - 120_000;
    const old = receivedAt.toString(16).padStart(12, "0");
    const id = `${old.slice(0, 8)}-${old.slice(8)}-7abc-8abc-0123456789ab`;
    await around.query(
      `insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body,
        found_by)
       select $1, to_timestamp($2::float8 / 1000), source, method, path, query, invoice_ids, headers, body,
         found_by
       from callback limit 1`,
      [id, receivedAt],
    );
    const address = `/payment-pages/${sealedId(id, new Secret(TOKEN))}`;
    const page = await (await fetch(`${relay.url}${address}`)).text();
    expect(page).toContain("<title>No payment has been confirmed yet</title>");
    expect(page).toContain('content="30; url=');
  });

  it("carries a policy that allows no inline script, no frame, no referrer, no cache", async () => {
    const { relay, visit } = await house({}, false);
    const answer = await visit(`?id=${randomUUID()}`);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/);
    for (const [, asset] of page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g))
      expect((await fetch(`${relay.url}${asset}`)).status).toBe(200);
  });

  it("is sent to CALLBACK_REDIRECT_URL where there is one, after it was recorded, with nothing of the callback", async () => {
    const { around, visit } = await house(
      { CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" },
      false,
    );
    const answer = await visit(`?invoiceId=${randomUUID()}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://shop.example.com/thanks"]);
    expect(await around.query("select from callback")).toHaveLength(1);
  });

  it.each([
    ["anything", { accept: "*/*" }],
    ["HTML with q=0", { accept: "text/html;q=0, */*" }],
    ["JSON", { accept: "application/json", "sec-fetch-mode": "cors" }],
  ])("is not what accepts %s: the plain answer, never a redirect", async (_name, headers) => {
    const { visit } = await house({ CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" }, false);
    const answer = await visit("", headers);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  it("nor is a POST of a sender that says it takes HTML", async () => {
    const { relay } = await house({ CALLBACK_REDIRECT_URL: "https://shop.example.com/thanks" }, false);
    const answer = await relay.callback({}, { headers: BROWSER, redirect: "manual" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  });
});
