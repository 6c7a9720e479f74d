import { alarmsAbout, severityOf } from "../alarms/alarm-definitions.ts";
import type { Alarms } from "../alarms/alarms.ts";
import { listAlarms } from "../alarms/list-alarms.ts";
import { noteLasting } from "../alarms/note-lasting.ts";
import { databaseTime } from "../database/server.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";
import { LONG_SECONDS, readKeptConfirmations, readKeptEvents } from "./backlog.ts";

/** As many as there may ever be of sources and topics. */
const ALL = 10_000;

/**
 * Raises an alarm of each source whose payments have waited for ten minutes, whatever keeps them, and closes
 * those of the others. Where a critical alarm of the source or of a topic, or one of the invoice, says why, people
 * were told already.
 */
export async function noteWaiting(db: Database, alarms: Alarms): Promise<void> {
  const { unasked, unsent, open, now } = await inSnapshot(db, async (snapshot) => ({
    unasked: await readKeptConfirmations(snapshot),
    unsent: await readKeptEvents(snapshot),
    open: (await listAlarms(snapshot, { names: alarmsAbout("upstream") }, ALL)).items,
    now: await databaseTime(snapshot),
  }));
  const tells = open.filter(
    ({ name, raisedAt }) => name === "unknown_ids_flooding" || severityOf(name, raisedAt, now) === "critical",
  );
  const topicTells = tells.some(({ source }) => source === TOPIC.sourceOf(""));
  const long = ({ oldestSeconds }: (typeof unasked)[number]) => oldestSeconds >= LONG_SECONDS;
  const late = [
    ...unasked
      .filter(long)
      .filter(({ source }) => !tells.some((alarm) => alarm.source === SOURCE.sourceOf(source)))
      .map(({ source }) => ({ source, what: "for an answer of the provider" })),
    ...(topicTells ? [] : unsent.filter(long)).map(({ source }) => ({ source, what: "to be sent to SNS" })),
  ];
  const lasting = [...Map.groupBy(late, ({ source }) => source)].map(([source, waits]) => ({
    ...{ source, subject: source },
    detail: `Payments of source ${source} have waited for more than ten minutes: ${waits.map(({ what }) => what).join(", and ")}.`,
  }));
  await noteLasting({ db, alarms }, "payments_waiting", lasting, { mayClose: true });
}
