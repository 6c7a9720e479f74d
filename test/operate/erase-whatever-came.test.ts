import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { eraseInvoice } from "../../src/operate/erase.ts";
import { withDatabase } from "../support/log-rows.ts";
import { type Harness, startRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const actor = "cli:test";
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

/** A relay, and an invoice that it has published. */
async function published(changes: Record<string, string> = {}, personal: Record<string, unknown> = {}) {
  const { harness, db } = await withDatabase();
  const relay = await startRelay(harness.environment({ CONFIRM_CONCURRENCY: "200", ...changes }));
  const id = harness.provider.paid(personal);
  return { harness, db, relay, id };
}

/** What a callback may be that names an invoice. */
const KINDS: Record<string, (id: string) => { body: string | Uint8Array<ArrayBuffer>; init?: RequestInit }> =
  {
    "after the first hundred": (id) => ({ body: JSON.stringify({ events: [...others(120), { id }] }) }),
    "in no listed place": (id) => ({
      body: JSON.stringify({ data: { id: randomUUID() }, about: { paid: [`invoice ${id}`] } }),
    }),
    "after the fifth of a text": (id) => ({
      body: `${others(8)
        .map((one) => one.id)
        .join(" ")} and ${id.toUpperCase()}`,
    }),
    "on a line of its own": (id) => ({
      body: JSON.stringify({ data: { id: randomUUID() }, text: `Paid by Ada Obi:\n${id}` }),
    }),
    "in a form": (id) => ({
      body: `data=${encodeURIComponent(JSON.stringify({ events: [...others(120), { id }] }))}`,
    }),
    "in a header": (id) => ({ body: "{}", init: { headers: { "x-invoice": id } } }),
    compressed: (id) => ({
      body: new Uint8Array(gzipSync(JSON.stringify({ events: [...others(120), { id }] }))),
      init: { headers: { "content-encoding": "gzip" } },
    }),
  };

describe("erase, whatever came about the invoice", () => {
  it.each([
    ["taken", {}],
    ["refused", SIGNED],
  ])("finds its id in every kind of callback, before it and after (%s)", async (verdict, changes) => {
    const { harness, db, relay } = await published(changes);
    for (const [kind, make] of Object.entries(KINDS)) {
      // What is refused is read for the same places, but for headers.
      if (verdict === "refused" && kind === "in a header") continue;
      await harness.query("truncate callback");
      const id = harness.provider.paid();
      const { body, init } = make(id);
      expect((await relay.callback(body, init)).status, kind).toBeLessThan(500);
      expect(await logged(harness), kind).toEqual([LEGIBLE]);
      expect(await eraseInvoice({ db, actor, invoiceId: id }), kind).toMatchObject({
        found: true,
        callbacks: 1,
      });
      await relay.callback(body, init);
      expect(await logged(harness), kind).toEqual([BLANK, BLANK]);
    }
  });

  it("finds those that carry only its reference, unless another invoice has it: these are listed", async () => {
    // What is no text, and a percent-encoding that breaks off, are read alike in both.
    const odd = "Ada%201%01/%E2%82";
    const callBackUrl = `https://r.example/callbacks/${TOKEN}/${odd}`;
    const { harness, db, relay, id } = await published({}, { callBackUrl });
    const other = randomUUID();
    const shared = { callBackUrl: `https://r.example/callbacks/${TOKEN}/Shared` };
    const [first, second] = [randomUUID(), randomUUID()];
    for (const one of [first, second]) harness.provider.invoice(one, invoiceAnswer(one, shared));
    harness.provider.invoice(
      other,
      invoiceAnswer(other, { callBackUrl: `https://r.example/callbacks/${TOKEN}` }),
    );
    for (const one of [id, first, second, other]) await relay.callback({ data: { id: one } });
    await vi.waitFor(async () => expect(await harness.query("select from invoice")).toHaveLength(4));
    const to = (reference: string, body: unknown) =>
      relay.callback(body, { path: `/callbacks/${TOKEN}/${reference}` });
    await to(odd, { payer: "Ada Obi" });
    await to(odd, { data: { id: other } });
    await to("Shared", { payer: "Ada Obi" });
    expect(await eraseInvoice({ db, actor, invoiceId: id })).toMatchObject({ callbacks: 2, left: [] });
    const [, , , , byReference, others, sharedOne] = await logged(harness);
    expect([byReference, others, sharedOne]).toEqual([BLANK, LEGIBLE, LEGIBLE]);
    const [listed] = await harness.query(
      "select id::text, reference from callback where reference = 'Shared'",
    );
    expect(await eraseInvoice({ db, actor, invoiceId: first })).toMatchObject({
      callbacks: 1,
      left: [{ id: listed?.id, source: "default" }],
    });
    expect(await eraseInvoice({ db, actor, invoiceId: second })).toMatchObject({ callbacks: 2, left: [] });
  });

  it("of an id that is not there changes nothing, and is no erasure in the audit", async () => {
    const { harness, db } = await withDatabase();
    expect(await eraseInvoice({ db, actor, invoiceId: randomUUID() })).toMatchObject({ found: false });
    expect(await harness.query("select from audit_entry")).toEqual([]);
  });

  it("keeps what another source hears later out as well", async () => {
    const { harness, db, relay, id } = await published();
    await relay.callback({ data: { id, payerName: "Ada Obi" } });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    await eraseInvoice({ db, actor, invoiceId: id });
    await harness.query("delete from outbox");
    await harness.query("delete from confirmation");
    await relay.callback({ data: { id, payerName: "Ada Obi" } });
    await vi.waitFor(async () =>
      expect(await harness.query("select from confirmation where verdict = 'paid'")).toHaveLength(1),
    );
    const stored = await harness.query(
      "select document::text from invoice union all select document::text from invoice_snapshot",
    );
    expect(JSON.stringify(stored)).not.toMatch(/Ada/);
    expect(await logged(harness)).toEqual([BLANK, BLANK]);
  });
});
