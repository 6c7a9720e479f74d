import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { claimEvents } from "../../../src/pipeline/publish/claim-events.ts";
import { type EventOutcome, OutcomeLog } from "../../../src/pipeline/publish/outcomes.ts";
import type { Database } from "../../../src/platform/database/tables.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { openDatabase, ownDatabase } from "../../support/database.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { alarmsOn } from "../../support/test-log.ts";
import { ROUTE, TOPIC, waiting } from "./outgoing-event.ts";

const keep = (db: Database, outcome: EventOutcome) =>
  new OutcomeLog({ db, alarms: alarmsOn(db) }).keep(outcome, []);

/** One event that was claimed, and what may be said of it. */
async function claimed() {
  const { db, url } = await ownDatabase();
  await waiting(db, 1);
  const { items } = await claimEvents(db, { route: ROUTE, wanted: 1, lease: leaseOf(60_000) });
  const { id = "", leaseToken = "" } = items[0] ?? {};
  const tried = {
    id,
    source: "default",
    replayId: null,
    leaseToken,
    topicArn: TOPIC,
    dueInMs: 0,
    digest: null,
  };
  const accepted: EventOutcome = { ...tried, state: "accepted", messageId: "m1", error: null };
  const failed: EventOutcome = { ...tried, state: "due", messageId: null, error: "HTTP 503" };
  const standing = async () => {
    const { rows } = await sql<{ standing: string }>`
      select concat_ws(' ', outbox.state, outbox.attempt, message_id) as standing from event
      left join outbox on outbox.event_id = event.id left join publication on publication.event_id = event.id`.execute(
      db,
    );
    return rows[0]?.standing;
  };
  return { db, url, accepted, failed, standing };
}

it.each([
  ["its lease is held", "state = state", "m1", "due 1"],
  ["its lease ran out", "state = 'due', lease_token = null, claimed_until = null", "m1", "due 0"],
  ["another worker holds it", `lease_token = '${randomUUID()}'`, "claimed 0 m1", "claimed 0"],
])(
  "an acceptance is a fact and always kept (G5), a failure only by who holds the event (G6): %s",
  async (_, lease, accepted, failed) => {
    for (const [state, expected] of [
      ["accepted", accepted],
      ["failed", failed],
    ] as const) {
      const one = await claimed();
      await sql`update outbox set ${sql.raw(lease)}`.execute(one.db);
      await keep(one.db, one[state]);
      expect(await one.standing()).toBe(expected);
    }
  },
);

it("an acceptance is kept as soon as Postgres is back, a failure is not waited for (G5)", async () => {
  const { url, accepted, failed, standing } = await claimed();
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  const away = openDatabase(proxy.through(url));
  proxy.fault({ kind: "refuse" });
  const keeping = keep(away, accepted);
  await expect(keep(away, failed)).rejects.toThrow();
  expect(await standing()).toBe("claimed 0");
  proxy.heal();
  await keeping;
  expect(await standing()).toBe("m1");
});
