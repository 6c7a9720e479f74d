import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { walk } from "../../../src/platform/database/page.ts";
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
    const { body } = await api.call("GET", "/callbacks?limit=3");
    expect(body.searchedTo).toEqual(body.items.at(-1).receivedAt);
  });

  it("is narrowed by source, verdict, place, address, invoice, reference and time, alone and together", async () => {
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
    expect(await list("verdict=paid")).toEqual([2, 0]);
    expect(await list("verdict=pending")).toEqual([1]);
    expect(await list("verdict=unknown_invoice")).toEqual([6]);
    expect(await list("foundBy=scan")).toEqual([1]);
    expect(await list("remoteAddress=203.0.113.7")).toEqual([4, 1]);
    expect(await list(`invoiceId=${paid}`)).toEqual([2, 0]);
    expect(await list(`invoiceId=${waiting}&foundBy=scan`)).toEqual([1]);
    expect(await list(`invoiceId=${randomUUID()}`)).toEqual([]);
    expect(await list("reference=order%2F7")).toEqual([6]);
    const time = (n: number) => new Date(START + n * 1_000).toISOString();
    expect(await list(`from=${time(2)}&to=${time(5)}`)).toEqual([4, 3, 2]);
    const { body } = await call("GET", "/callbacks?limit=2&verdict=paid");
    expect(body.items).toMatchObject([{ verdict: "paid" }, { verdict: "paid" }]);
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
    const list = async (verdict: string) =>
      idsIn((await call("GET", `/callbacks?verdict=${verdict}`)).body).map((id) => ids.indexOf(id));
    expect([await list("dead"), await list("pending")]).toEqual([[0], [3, 1]]);
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

describe("a walk", () => {
  const place = (n: number) => ({ at: String(n), id: String(n), source: "" });
  const look = (total: number, every: number, most: number) => async (after: { id: string } | null) => {
    const first = after === null ? 0 : Number(after.id) + 1;
    const seen = Array.from({ length: Math.min(most, total - first) }, (_, index) => first + index);
    const found = seen.filter((n) => n % every === 0).map((n) => ({ n, place: place(n) }));
    return { found, end: seen.length === most ? place(seen.at(-1) ?? 0) : null };
  };

  it("finds everything, each once, however much it may look at and hold at a time", async () => {
    for (const [total, every, most, limit] of [
      [100, 7, 10, 3],
      [100, 1, 100, 100],
      [30, 40, 10, 5],
      [0, 1, 10, 5],
    ] as const)
      for (const withinMs of [0, 1_000]) {
        const all: number[] = [];
        let from: ReturnType<typeof place> | null = null;
        do {
          const page: { items: { n: number }[]; next: ReturnType<typeof place> | null } = await walk({
            from,
            limit,
            withinMs,
            look: look(total, every, most),
          });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          all.push(...page.items.map(({ n }) => n));
          from = page.next;
        } while (from !== null);
        const wanted = Array.from({ length: total }, (_, n) => n).filter((n) => n % every === 0);
        expect(all).toEqual(wanted);
      }
  });

  it("stops when its time is up, and says where to go on", async () => {
    const page = await walk({ from: null, limit: 5, withinMs: 0, look: look(1_000, 999, 10) });
    expect(page).toEqual({ items: [{ n: 0 }], next: place(9) });
  });
});
