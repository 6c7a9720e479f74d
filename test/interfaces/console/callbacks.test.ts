import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/values/ids.ts";
import { adminApi, allPages, fits } from "../../support/admin.ts";
import { addCallback, addConfirmation } from "../../support/log-rows.ts";
import { type Harness, TOKEN } from "../../support/relay.ts";

const START = Date.UTC(2026, 9, 1);

/** Callbacks, one second apart; the newest is the last. @returns their ids. */
async function addCallbacks(
  harness: Harness,
  count: number,
  of: (n: number) => Record<string, unknown> = () => ({}),
) {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = START + n * 1_000;
    const { id } = await addCallback(harness, { id: newId(at), received_at: new Date(at), ...of(n) });
    ids.push(id);
  }
  return ids;
}

const idsIn = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);

describe("the log of callbacks", () => {
  it("has the newest first, page by page, each once, also of one moment", async () => {
    const api = await adminApi();
    const ids = await addCallbacks(api.harness, 11, (n) => ({
      received_at: new Date(START + Math.floor(n / 4) * 1_000),
    }));
    const seen = await allPages<{ id: string }>(api, "listCallbacks", "/callbacks?limit=3");
    expect(seen.map(({ id }) => id)).toEqual(
      [
        [8, 11],
        [4, 8],
        [0, 4],
      ].flatMap(([from, to]) => ids.slice(from, to).sort().reverse()),
    );
  });

  it("is narrowed by source, verdict, invoice, reference and time, alone and together", async () => {
    const { harness, call } = await adminApi();
    await harness.query("insert into source (name) values ('shop-b')");
    const unconfirmed = { verdict: null, state: "due", settled_at: null };
    const [paid, waiting, several] = [
      await addConfirmation(harness),
      await addConfirmation(harness, unconfirmed),
      await addConfirmation(harness, { verdict: "unknown_invoice" }),
    ];
    const ids = await addCallbacks(
      harness,
      7,
      (n) =>
        [
          { invoice_ids: [paid] },
          { invoice_ids: [waiting], found_by: "scan", remote_address: "203.0.113.7" },
          { invoice_ids: [several, paid, waiting] },
          { invoice_ids: [], found_by: null, verdict: "ping" },
          { invoice_ids: [randomUUID()], verdict: "refused", remote_address: "203.0.113.7" },
          { invoice_ids: [], found_by: null, verdict: "unreadable", source: "shop-b" },
          { invoice_ids: [several], reference: "order/7" },
        ][n] ?? {},
    );
    const list = async (query: string) => {
      const { status, body } = await call("GET", `/callbacks?${query}`);
      expect(status, `${query}: ${JSON.stringify(body)}`).toBe(200);
      return idsIn(body).map((id) => ids.indexOf(id));
    };
    expect(await list("")).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(await list("source=shop-b")).toEqual([5]);
    expect(await list("verdict=refused")).toEqual([4]);
    expect(await list("verdict=refused&source=shop-b")).toEqual([]);
    expect(await list(`invoiceId=${paid}`)).toEqual([2, 0]);
    expect(await list(`invoiceId=${randomUUID()}`)).toEqual([]);
    expect(await list("reference=order%2F7")).toEqual([6]);
    const time = (n: number) => new Date(START + n * 1_000).toISOString();
    expect(await list(`from=${time(2)}&to=${time(5)}`)).toEqual([4, 3, 2]);
  });

  it("says of one whose invoice was given up that it is dead, not that it is being confirmed", async () => {
    const { harness, call } = await adminApi();
    const [dead, waiting, paidBefore] = [
      await addConfirmation(harness, { verdict: "pending", state: "dead" }),
      await addConfirmation(harness, { verdict: "pending", state: "due", settled_at: null }),
      await addConfirmation(harness, { verdict: "paid", state: "dead" }),
    ];
    const ids = await addCallbacks(harness, 4, (n) => ({
      invoice_ids: [[dead], [waiting], [paidBefore], [dead, waiting]][n],
    }));
    const { body } = await call("GET", "/callbacks");
    fits("listCallbacks", body);
    expect(body.items.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      "pending",
      "paid",
      "pending",
      "dead",
    ]);
    const shown = await call("GET", `/callbacks/${ids[0]}`);
    fits("showCallback", shown.body);
    expect(shown.body).toMatchObject({ verdict: "dead" });
  });

  it("has each with its bytes, its headers without secrets, and how each id was found", async () => {
    const { harness, relay, call } = await adminApi();
    const id = randomUUID();
    const markup = "<script>alert(1)</script>\u202e\u0007";
    const text = JSON.stringify({ data: { id, note: markup } });
    const body = Buffer.from(text);
    await relay.callback(new Uint8Array(body), {
      path: `/callbacks/${TOKEN}/order-7?from=${encodeURIComponent("<b>")}`,
      headers: {
        "content-type": "application/json",
        "x-note": `see /callbacks/${TOKEN}`,
        "x-signature": "abc",
      },
    });
    const [row] = await harness.query<{ id: string }>("select id from callback");
    const shown = await call("GET", `/callbacks/${row?.id}`);
    expect(shown.status).toBe(200);
    fits("showCallback", shown.body);
    expect(shown.body).toMatchObject({
      id: row?.id,
      method: "POST",
      path: "/callbacks/***/order-7",
      query: "from=%3Cb%3E",
      reference: "order-7",
      body: body.toString("base64"),
      bytes: body.length,
      text,
      ids: [{ invoiceId: id, foundBy: "data.id", state: "due", verdict: "pending" }],
    });
    expect(JSON.stringify(shown.body)).not.toContain(TOKEN);
    expect(shown.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("says of an erased one that it was, and shows nothing of it", async () => {
    const { harness, call } = await adminApi();
    const [id] = await addCallbacks(harness, 1, () => ({
      body: Buffer.from(""),
      erased_at: new Date(),
      erased_digest: "ab",
    }));
    const { body } = await call("GET", `/callbacks/${id}`);
    fits("showCallback", body);
    expect(body).toMatchObject({ text: null, body: "", bytes: null, erasedDigest: "ab" });
    expect((await call("GET", "/callbacks")).body.items).toMatchObject([{ bytes: null }]);
  });
});
