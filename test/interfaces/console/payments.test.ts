import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { newId } from "../../../src/platform/values/ids.ts";
import { type AdminApi, adminApi, allPages, fits } from "../../support/admin.ts";
import { addCallback, addConfirmation, addInvoice } from "../../support/log-rows.ts";
import { TOKEN } from "../../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../../support/scripted-provider.ts";

/** Rows of `invoice` with a confirmation each, the first paid last. */
async function addInvoices({ harness }: AdminApi, count: number, changes: Record<string, unknown> = {}) {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = new Date(Date.UTC(2026, 9, 20, 12) - n * 60_000);
    const id = randomUUID();
    await addInvoice(harness, {
      ...{ id, type: "Live", reference: `order-${n}`, collection_name: n % 2 === 0 ? "Term 1" : "Term 2" },
      ...{ amount: `${1_000 + n}.50`, total_amount: `${1_010 + n}.50` },
      ...{ paid_at: at, asked_at: at, confirmed_at: at },
      ...changes,
    });
    await addConfirmation(harness, { invoice_id: id, source: changes.source ?? "default" });
    ids.push(id);
  }
  return ids;
}

/** A confirmation that no answer has come for. */
const UNANSWERED = { verdict: null, state: "due", settled_at: null };

const idsIn = (body: { items: { invoiceId: string }[] }) => body.items.map(({ invoiceId }) => invoiceId);

describe("the list of payments", () => {
  it("has the last one first, page by page, each once, over several sources", async () => {
    const api = await adminApi();
    const own = await addInvoices(api, 7);
    const others = await addInvoices(api, 7, { source: "shop-b" });
    const seen = await allPages<{ invoiceId: string; paidAt: string }>(
      api,
      "listInvoices",
      "/invoices?limit=4",
    );
    expect(seen.map(({ invoiceId }) => invoiceId).sort()).toEqual([...own, ...others].sort());
    expect(seen.map(({ paidAt }) => paidAt)).toEqual(
      seen
        .map(({ paidAt }) => paidAt)
        .toSorted()
        .toReversed(),
    );
  });

  it("is narrowed by reference, id, day, collection, verdict and source, alone and together", async () => {
    const api = await adminApi();
    const ids = await addInvoices(api, 6);
    await api.harness.query("insert into source (name) values ('shop-b')");
    const [other] = await addInvoices(api, 1, {
      source: "shop-b",
      paid_at: "2026-10-01T10:00:00Z",
      reference: "Ünïcode/1",
    });
    const list = async (query: string) => {
      const { status, body } = await api.call("GET", `/invoices?${query}`);
      expect(status, `${query}: ${JSON.stringify(body)}`).toBe(200);
      return idsIn(body);
    };
    expect(await list("reference=order-3")).toEqual([ids[3]]);
    expect(await list(`reference=${encodeURIComponent("Ünïcode/1")}`)).toEqual([other]);
    expect(await list(`id=${ids[2]?.toUpperCase()}`)).toEqual([ids[2]]);
    expect(await list("from=2026-10-20&to=2026-10-20")).toEqual(ids);
    expect(await list("from=2026-10-01&to=2026-10-01")).toEqual([other]);
    expect(await list("to=2026-09-30")).toEqual([]);
    expect(await list("collection=Term+2&source=default")).toEqual([ids[1], ids[3], ids[5]]);
    expect(await list("verdict=paid&source=shop-b")).toEqual([other]);
    expect(await list("verdict=quarantined")).toEqual([]);
    expect(await list("reference=order-3&collection=Term+1")).toEqual([]);
  });

  it("has those of a reference, page by page, also where only a callback has named it", async () => {
    const api = await adminApi();
    const ids = await addInvoices(api, 7, { reference: "1500" });
    ids.push(...(await addInvoices(api, 3, { reference: "1500", source: "shop-b" })));
    const waiting = await addConfirmation(api.harness, UNANSWERED);
    await addCallback(api.harness, { id: newId(), invoice_ids: [waiting], reference: "1500" });
    await addInvoices(api, 1, { reference: "other" });
    const path = "/invoices?reference=1500&limit=3";
    const seen = await allPages<{ invoiceId: string }>(api, "listInvoices", path);
    expect(seen.map(({ invoiceId }) => invoiceId).sort()).toEqual([...ids, waiting].sort());
  });

  it("knows those that the provider never confirmed by verdict and by id", async () => {
    const api = await adminApi();
    await addInvoices(api, 2);
    const unknown = await addConfirmation(api.harness, { verdict: "unknown_invoice" });
    const pending = await addConfirmation(api.harness, { ...UNANSWERED, verdict: "pending" });
    const later = { ...UNANSWERED, opened_at: "2026-10-02T00:00:00Z" };
    const unanswered = await addConfirmation(api.harness, later);
    const lease = { state: "claimed", lease_token: randomUUID(), claimed_until: "2026-10-01T00:00:15Z" };
    const leased = await addConfirmation(api.harness, { ...UNANSWERED, ...lease });
    // Given up, it is dead, not being confirmed; but paid where it was so before.
    const dead = [
      await addConfirmation(api.harness, { verdict: null, state: "dead" }),
      await addConfirmation(api.harness, { verdict: "pending", state: "dead" }),
    ];
    const paidBefore = await addConfirmation(api.harness, { verdict: "paid", state: "dead" });
    expect((await api.call("GET", `/invoices?id=${paidBefore}`)).body.items).toMatchObject([
      { verdict: "paid" },
    ]);
    for (const [verdict, ids] of [
      ["unknown_invoice", [unknown]],
      ["pending", [unanswered, ...[pending, leased].sort().reverse()]],
      ["dead", dead.sort().reverse()],
    ] as const) {
      const path = `/invoices?verdict=${verdict}&limit=1`;
      const found = await allPages<{ invoiceId: string }>(api, "listInvoices", path);
      for (const item of found)
        expect(item).toMatchObject({ verdict, status: null, confirmedAt: null, event: null });
      expect(found.map(({ invoiceId }) => invoiceId)).toEqual(ids);
      for (const id of ids) expect(idsIn((await api.call("GET", `/invoices?id=${id}`)).body)).toEqual([id]);
    }
  });
});

describe("one payment's story", () => {
  it("has what the provider answered, whatever a callback claimed, and the event as it was sent", async () => {
    const api = await adminApi({}, { http: true, workers: true });
    const { harness, relay, call } = api;
    const id = randomUUID();
    const callBackUrl = `https://relay.example.com/callbacks/${TOKEN}/order-9`;
    harness.provider.invoice(id, invoiceAnswer(id, { callBackUrl }));
    const claim = `{"event":"paid","data":{"id":"${id}","amount":"1","status":"Paid","payerName":"<b>Eve</b>"}}`;
    await relay.callback(claim, { path: `/callbacks/${TOKEN}/order-9` });
    await vi.waitFor(async () => expect(await harness.query("select from publication")).toHaveLength(1));

    const shown = await call("GET", `/invoices/${id}`);
    expect(shown.body).toMatchObject({ invoiceId: id, meaning: [expect.any(String), expect.any(String)] });
    const { body } = await call("GET", `/invoices/${id}/evidence`);
    fits("showEvidence", body);
    const [published] = await harness.query("select topic_arn, message_id from publication");
    const [event] = await harness.query("select id, payload from event");
    expect(body).toMatchObject({
      answers: [{ newest: true, status: "Paid", document: expect.stringMatching(/"amount": ?1500.50?\b/) }],
      events: [
        {
          id: event?.id,
          payload: event?.payload,
          state: "published",
          publications: [
            { topicArn: published?.topic_arn, messageId: published?.message_id, replayId: null },
          ],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
  });

  it("is asked about again and published again, with a reason, under the token's name", async () => {
    const { harness, relay, call } = await adminApi({}, { http: true, workers: true });
    const id = randomUUID();
    harness.provider.invoice(id, unpaidAnswer(id), invoiceAnswer(id));
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => expect(await harness.query("select from publication")).toHaveLength(1));
    const again = (kind: string, given: object) =>
      call("POST", "/replays", { kind, filters: { invoiceIds: [id] }, ...given });
    const publish = await again("events", { reason: "the consumer lost it" });
    expect(publish, JSON.stringify(publish.body)).toMatchObject({
      status: 200,
      body: { replay: { kind: "events", matching: 1 } },
    });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(2));
    const asks = harness.provider.requests.filter((path) => path.includes(id)).length;
    const dry = await again("confirmations", { dryRun: true });
    expect(dry.body).toMatchObject({ replay: null, plan: { matching: 1 } });
    expect((await again("confirmations", { reason: "a doubt" })).status).toBe(200);
    await vi.waitFor(() =>
      expect(harness.provider.requests.filter((path) => path.includes(id)).length).toBeGreaterThan(asks),
    );
    const { body } = await call("GET", "/audit?action=replay.start");
    expect(body.entries).toMatchObject([
      { actor: "admin:eve", detail: { kind: "confirmations", reason: "a doubt" } },
      { actor: "admin:eve", detail: { kind: "events", reason: "the consumer lost it" } },
    ]);
    fits("readAuditLog", body);
  });
});
