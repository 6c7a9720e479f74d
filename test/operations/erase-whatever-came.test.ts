import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eraseInvoice } from "../../src/operations/erase.ts";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { withDatabase } from "../support/log-rows.ts";
import { type Harness, startRelay, TOKEN } from "../support/relay.ts";

const SIGNED = { CALLBACK_HMAC_SECRETS: "a-secret-for-signatures-0123456789" };

const others = (count: number) => Array.from({ length: count }, () => ({ id: randomUUID() }));

/** The callbacks, oldest first: what is left to read of each, and whether a digest stands for it. */
const logged = async (harness: Harness) =>
  (
    await harness.query<{ text: string; digest: boolean }>(
      `select concat(path, query, reference, remote_address, headers, encode(body, 'escape')) as text,
         coalesce(erased_digest ~ '^[0-9a-f]{64}$', false) as digest
       from callback order by received_at, id`,
    )
  ).map(({ text, digest }) => ({ isLegible: text !== "[]", digest }));

const BLANK = { isLegible: false, digest: true };
const LEGIBLE = { isLegible: true, digest: false };

/** A relay, and an invoice that it may publish. */
async function withPaid(changes: Record<string, string> = {}, personal: Record<string, unknown> = {}) {
  const { harness, db } = await withDatabase();
  const relay = await startRelay(harness.environment({ CONFIRM_CONCURRENCY: "200", ...changes }));
  const erase = (invoiceId: string) => eraseInvoice({ db, actor: "cli:test", invoiceId });
  return { harness, relay, id: harness.provider.paid(personal), erase };
}

/** Callbacks that name an invoice: body and headers. */
const KINDS: Record<string, (id: string) => [body: unknown, headers?: Record<string, string>]> = {
  "after the first hundred": (id) => [{ events: [...others(120), { id }] }],
  "in no listed place": (id) => [{ data: { id: randomUUID() }, about: { paid: [`invoice ${id}`] } }],
  "after the fifth of a text": (id) => [`${others(8).map((one) => one.id)} and ${id.toUpperCase()}`],
  "on a line of its own": (id) => [{ data: { id: randomUUID() }, text: `Paid by Ada Obi:\n${id}` }],
  "in a form": (id) => [`data=${encodeURIComponent(JSON.stringify({ events: [...others(120), { id }] }))}`],
  "in a header": (id) => ["{}", { "x-invoice": id }],
};

describe("erase, whatever came about the invoice", () => {
  it.each([
    ["taken", {}],
    ["refused", SIGNED],
  ])("finds its id in every kind of callback, before it and after (%s)", async (verdict, changes) => {
    const { harness, relay, erase } = await withPaid(changes);
    for (const [kind, make] of Object.entries(KINDS)) {
      // What is refused is read for the same places, but for headers.
      if (verdict === "refused" && kind === "in a header") continue;
      await harness.query("truncate callback");
      const id = harness.provider.paid();
      const [body, headers] = make(id);
      const init = headers === undefined ? {} : { headers };
      expect((await relay.callback(body, init)).status, kind).toBeLessThan(500);
      expect(await logged(harness), kind).toEqual([LEGIBLE]);
      expect(await erase(id), kind).toMatchObject({ found: true, callbacks: 1 });
      await relay.callback(body, init);
      expect(await logged(harness), kind).toEqual([BLANK, BLANK]);
    }
  });

  it("finds those that carry only its reference", async () => {
    const at = (reference: string) => ({ callBackUrl: `https://r.example/callbacks/${TOKEN}${reference}` });
    // What is no text, and a percent-encoding that breaks off, are read alike in both.
    const odd = "/Ada%201%01/%E2%82";
    const { harness, relay, id, erase } = await withPaid({}, at(odd));
    const [first, second, other] = ["/Shared", "/Shared", ""].map((place) =>
      harness.provider.paid(at(place)),
    );
    for (const one of [id, first, second, other]) await relay.callback({ data: { id: one } });
    await eventually(() => harness.query("select from invoice"), toHaveLength(4));
    for (const [reference, body] of [
      [odd, { payer: "Ada Obi" }],
      [odd, { data: { id: other } }],
      ["/Shared", { payer: "Ada Obi" }],
    ] as const)
      await relay.callback(body, { path: `/callbacks/${TOKEN}${reference}` });
    expect(await erase(id)).toMatchObject({ callbacks: 2 });
    expect((await logged(harness)).slice(4)).toEqual([BLANK, LEGIBLE, LEGIBLE]);
    expect(await erase(first ?? "")).toMatchObject({ callbacks: 2 });
    expect(await erase(second ?? "")).toMatchObject({ callbacks: 1 });
  });

  it("of an id that is not there changes nothing, and is no erasure in the audit", async () => {
    const { harness, erase } = await withPaid();
    expect(await erase(randomUUID())).toMatchObject({ found: false });
    expect(await harness.query("select from audit_entry")).toEqual([]);
  });

  it("keeps what another source hears later out as well", async () => {
    const { harness, relay, id, erase } = await withPaid();
    await relay.callback({ data: { id, payerName: "Ada Obi" } });
    await eventually(() => harness.sns.messages(), toHaveLength(1));
    await erase(id);
    await harness.query("delete from outbox");
    await harness.query("delete from confirmation");
    await relay.callback({ data: { id, payerName: "Ada Obi" } });
    await eventually(() => harness.query("select from confirmation where verdict = 'paid'"), toHaveLength(1));
    const stored = "select document::text from invoice union all select document::text from invoice_snapshot";
    expect(JSON.stringify(await harness.query(stored))).not.toMatch(/Ada/);
    expect(await logged(harness)).toEqual([BLANK, BLANK]);
  });
});
