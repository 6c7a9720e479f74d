import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { OutcomeStore } from "../../../src/pipeline/confirm/answer-statement.ts";
import type { ClaimedEvent } from "../../../src/pipeline/publish/claim-events.ts";
import { Alarms } from "../../../src/platform/alarms/alarms.ts";
import type { Database } from "../../../src/platform/database/tables.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { type Handoff, leaseOf } from "../../../src/platform/worker/index.ts";
import { ownDatabase } from "../../support/database.ts";
import { paidOutcome } from "../../support/paid-outcome.ts";

async function setUp() {
  const { db } = await ownDatabase({ max: 2, purpose: "hot" });
  return { db, store: storeOn(db) };
}

function storeOn(db: Database, handoff: Handoff<ClaimedEvent> | null = null): OutcomeStore {
  const log = createLogger({ level: "silent" });
  const alarms = new Alarms({ db, log, metrics: createMetrics() });
  const routes = ["here", "there"].map((source) => ({
    ...{ source, invoiceType: "Live" as const, topicArn: `arn:${source}` },
  }));
  return new OutcomeStore({ db, alarms, onEvents: () => undefined, handoff, routes });
}

/** A confirmation that a worker holds; gives its lease. */
async function claimed(
  db: Database,
  invoiceId: string,
  source = "default",
  leaseToken: string = randomUUID(),
): Promise<string> {
  await sql`
    insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, state,
      lease_token, claimed_until)
    values (${invoiceId}, ${source}, 'callback', now(), now(), now(), 'claimed',
      ${leaseToken}, now() + interval '1 minute')`.execute(db);
  return leaseToken;
}

describe("answers that are written in one batch", () => {
  it("an old worker's answer beside the new one's changes nothing (G6)", async () => {
    const { db, store } = await setUp();
    const invoiceId = randomUUID();
    const leaseToken = await claimed(db, invoiceId);
    await Promise.all([
      store.store(paidOutcome({ invoiceId, leaseToken: randomUUID() }, "the old worker's")),
      store.store(paidOutcome({ invoiceId, leaseToken }, "the new worker's")),
      store.store(paidOutcome({ invoiceId, leaseToken: randomUUID() }, "an older worker's")),
    ]);
    expect(await db.selectFrom("invoice").select("title").execute()).toEqual([{ title: "the new worker's" }]);
    expect(await db.selectFrom("invoice_snapshot").select("digest").execute()).toEqual([]);
  });

  it("a reference without end is kept so that an index takes it", async () => {
    const { db, store } = await setUp();
    const invoiceId = randomUUID();
    const outcome = paidOutcome({ invoiceId, leaseToken: await claimed(db, invoiceId) }, "odd");
    Object.assign(outcome.invoice ?? {}, { reference: randomBytes(6_000).toString("base64url") });
    await store.store(outcome);
    const reference = expect.stringMatching(/… sha256:[0-9a-f]{64}$/);
    expect(await db.selectFrom("invoice").select("reference").execute()).toEqual([{ reference }]);
  });

  it("two sources that are told of one invoice keep an answer each (G6)", async () => {
    const { db, store } = await setUp();
    const invoiceId = randomUUID();
    const [here, there] = [await claimed(db, invoiceId, "here"), await claimed(db, invoiceId, "there")];
    const older = paidOutcome({ invoiceId, leaseToken: here, source: "here" }, "older");
    const newer = paidOutcome({ invoiceId, leaseToken: there, source: "there" }, "newer");
    if (newer.invoice !== null) newer.invoice.modifiedAt = new Date("2026-11-01T12:00:01Z");
    await Promise.all([store.store(older), store.store(newer)]);
    expect(await db.selectFrom("invoice").select(["title", "source"]).orderBy("source").execute()).toEqual([
      { title: "older", source: "here" },
      { title: "newer", source: "there" },
    ]);
    expect(
      await db.selectFrom("confirmation").select(["source", "state"]).orderBy("source").execute(),
    ).toEqual([
      { source: "here", state: "done" },
      { source: "there", state: "done" },
    ]);
  });

  it.each([
    ["here", true],
    ["there", true],
    ["here", false],
  ])(
    "about an invoice of two sources under one lease: only the event whose topic is open (%s) is dispatched, if there is room: %j",
    async (open, hasRoom) => {
      const { db } = await setUp();
      const [invoiceId, leaseToken, handed] = [randomUUID(), randomUUID(), [] as string[]];
      const store = storeOn(db, {
        lease: leaseOf(15_000),
        reserve: () => hasRoom,
        take: (events) => void handed.push(...events.map(({ source }) => source)),
      });
      await sql`insert into topic (arn, paused_by, paused_at) values ('arn:here', 'operator', now()),
        ('arn:there', 'operator', now())`.execute(db);
      await sql`update topic set paused_by = null, paused_at = null where arn = ${`arn:${open}`}`.execute(db);
      const outcomes = ["here", "there"].map(async (source) => {
        await claimed(db, invoiceId, source, leaseToken);
        return paidOutcome({ invoiceId, leaseToken, source }, "paid", invoiceId);
      });
      await Promise.all((await Promise.all(outcomes)).map((outcome) => store.store(outcome)));
      expect(handed).toEqual(hasRoom ? [open] : []);
    },
  );
});
