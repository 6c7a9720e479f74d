import { ALARMS, type AlarmName } from "../alarms/alarm-definitions.ts";
import { READ_ONLY } from "../database/recording-problem.ts";
import { numberOf } from "../kit/text.ts";
import { clock, DAY_MS } from "../kit/time.ts";
import { undoneWork } from "../work/silent-processes.ts";
import { backlogNeeds, heldNeeds, heldWords, onlyHeld, processNeeds, standingNeeds } from "./held-needs.ts";
import { countThings, type Facts, type Need, need, worstFirst } from "./status.ts";

/** After this many intervals without a finished sweep, something is wrong. */
const MISSED_INTERVALS = 3;
const SWEEP_TAKES_MS = 600_000;

/** Today's certificate is expected by this time of day (UTC), in ms. */
const CERTIFIED_BY_MS = 6 * 3_600_000;

/** So many kinds of need are spelled out in the headline. */
const SPELLED_OUT = 6;

/**
 * What a person should do now. What stops recording or all work comes first, then whatever holds up a source
 * or topic, then the rest, the worst first. Each cause is one need. Pure.
 */
export function needsOf(facts: Facts): Need[] {
  return [
    ...recordingNeeds(facts),
    ...schemaNeeds(facts),
    ...processNeeds(facts),
    ...standingNeeds(facts),
    ...worstFirst(heldNeeds(facts)),
    ...worstFirst([
      ...backlogNeeds(facts),
      ...deliveryNeeds(facts),
      ...proofNeeds(facts),
      ...alarmNeeds(facts),
      ...webhookNeeds(facts),
    ]),
  ];
}

/** How the relay is doing, in one sentence. Pure. */
export function sentenceOf(facts: Facts, needs: readonly Need[]): string {
  const held = onlyHeld(facts).map(heldWords);
  if (needs.length > 0) {
    const things = needs.length === 1 ? "" : `${numberOf(countThings(needs), "thing")}: `;
    const rest = countThings(needs.slice(SPELLED_OUT));
    const told = needs.slice(0, SPELLED_OUT).map(({ what }) => what);
    const more = rest > 0 ? `; and ${rest.toLocaleString("en-US")} more` : "";
    const also = held.length > 0 ? ` Also held up: ${held.join("; ")}.` : "";
    return `A person is needed: ${things}${told.join("; ")}${more}.${also}`;
  }
  if (held.length > 0) return `Nothing needs a person, but work is held up: ${held.join("; ")}.`;
  if (facts.sources.length === 0)
    return "Nothing has happened yet: serve was never started with this database. Run: invoice-relay serve";
  const snoozed = facts.openAlarms.reduce((sum, one) => sum + one.snoozed, 0);
  const quiet = snoozed > 0 ? ` ${numberOf(snoozed, "alarm")} ${snoozed === 1 ? "is" : "are"} snoozed.` : "";
  const uncalled = facts.lastCallbackAt === null ? " No callback has come in yet." : "";
  return `All is well: nothing needs a person.${quiet}${uncalled}`;
}

function recordingNeeds({ readOnly, processes }: Facts): Need[] {
  const told = processes
    .filter(({ lives }) => lives)
    .flatMap(({ recordingProblem }) => recordingProblem ?? [])
    .filter(({ worker }) => worker === undefined);
  const problems = new Map((readOnly ? [READ_ONLY] : told).map((why) => [why.reason, why]));
  return [...problems.values()].map(({ reason, action }) =>
    need({
      severity: "critical",
      what: `callbacks cannot be recorded: ${reason}`,
      action: `${action} Callbacks are answered 503 until then, and sent again.`,
    }),
  );
}

function schemaNeeds({ versions: { schema } }: Facts): Need[] {
  if (schema !== "behind" && schema !== "earlier") return [];
  return [
    need({
      severity: "critical",
      what: "the database lacks migrations of this program",
      action: "A backup of an older version may have been restored.",
      command: "migrate",
    }),
  ];
}

/** Alarms whose things are counted by themselves. */
const COUNTED: readonly AlarmName[] = ["confirmation_dead", "event_dead", "invoice_quarantined"];

function deliveryNeeds({ dead, quarantined, openAlarms }: Facts): Need[] {
  const waiting = [
    {
      name: "confirmation_dead",
      count: dead.confirmations,
      one: "confirmation given up",
      several: "confirmations given up",
    },
    { name: "event_dead", count: dead.events, one: "event given up", several: "events given up" },
    {
      name: "invoice_quarantined",
      count: quarantined,
      one: "invoice in quarantine",
      several: "invoices in quarantine",
    },
  ] as const;
  return waiting
    .map((kind) => ({ ...kind, told: openAlarms.find(({ name }) => name === kind.name) }))
    .map(({ count, told, ...kind }) => ({ ...kind, told, count: count - (told?.snoozed ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ name, count, one, several, told }) => {
      const isDead = name !== "invoice_quarantined";
      return need({
        severity: ALARMS[name].severity,
        what: numberOf(count, one, several),
        count,
        oldestAt: told?.oldestAt ?? null,
        newestAt: told?.newestAt ?? null,
        action: isDead
          ? "Read why; once the cause is gone, retry them."
          : "Release what is yours, and dismiss the rest.",
        alarm: name,
        command: isDead ? "dead list" : "quarantine list",
        page: isDead ? "dead" : "quarantine",
      });
    });
}

function proofNeeds(facts: Facts): Need[] {
  const { settings, unproven } = facts;
  const unset = (settings.sources ?? [])
    .filter(({ reconciliation }) => reconciliation === "unset")
    .map(({ name }) =>
      need({
        severity: "warning",
        what: `source ${name} is not reconciled: a payment whose callback never comes is missed`,
        action: "Set COLLECTION_IDS to the collections of this account, or to none if that is intended.",
      }),
    );
  const open = unproven.map(({ source, result, days, firstDay, lastDay, gaps, certificateId, madeAt }) => {
    const which = days === 1 ? firstDay : `${firstDay} to ${lastDay}`;
    const why =
      result === "refused"
        ? "the newest certificate was refused: it proves nothing"
        : `the newest certificate is not equal${gaps > 0 ? `: ${numberOf(gaps, "gap")}` : ""}`;
    return need({
      severity: "critical",
      what: `${numberOf(days, "day")} of source ${source} (${which}) ${days === 1 ? "is" : "are"} not proven: ${why}`,
      oldestAt: madeAt,
      action:
        result === "refused"
          ? "Read why."
          : "Read what is missing, reconcile, then certify the period again.",
      command: `certificate show ${certificateId}`,
      page: "completeness",
    });
  });
  return [...unset, ...missedSweeps(facts), ...open, ...lateCertificates(facts)];
}

/** Of the sources that the settings have reconciled still, or of all where they name none. */
function lateCertificates({ settings, certificates, firstServed, at }: Facts): Need[] {
  const wanted = settings.sources
    ?.filter(({ reconciliation }) => reconciliation === "on")
    .map(({ name: source }) => {
      const served = firstServed.find((one) => one.source === source)?.at ?? at;
      return certificates.find((one) => one.source === source) ?? { source, day: null, coversTo: served };
    });
  return (wanted ?? certificates)
    .filter(({ coversTo }) => +at - +coversTo > DAY_MS + CERTIFIED_BY_MS)
    .map(({ source, day }) =>
      need({
        severity: "warning",
        what:
          day === null
            ? `source ${source} has no daily certificate yet`
            : `the last daily certificate of source ${source} is from ${day}`,
        action:
          "Check that invoice-relay serve is running with workers, and what its log says about certify.",
      }),
    );
}

function missedSweeps(facts: Facts): Need[] {
  const { settings, sweeps, firstServed, at, held, openAlarms } = facts;
  // Those that the settings name still, or all where they name none.
  const wanted = settings.sources?.flatMap(({ name: source, collectionIds }) =>
    collectionIds.map(
      (collectionId) =>
        sweeps.find((one) => one.source === source && one.collectionId === collectionId) ?? {
          ...{ source, collectionId, finishedAt: null, lastError: null },
          nextAt: firstServed.find((one) => one.source === source)?.at ?? null,
        },
    ),
  );
  const failing = openAlarms.find(({ name, count }) => name === "sweep_failing" && count > 0);
  const isHeld = (source: string) => held.some(({ work, name }) => work === "confirm" && name === source);
  const patienceMs = MISSED_INTERVALS * settings.intervalMs + SWEEP_TAKES_MS;
  return (wanted ?? sweeps).flatMap(({ source, collectionId, finishedAt, nextAt, lastError }) => {
    const since = finishedAt ?? nextAt;
    // Its alarm tells of the same.
    if (failing !== undefined && [null, collectionId].includes(failing.subject)) return [];
    if (since === null || +at - +since < patienceMs || isHeld(source)) return [];
    const why = lastError === null ? "" : ` (${lastError})`;
    const read = finishedAt === null ? "never read" : `last read at ${clock(finishedAt)}`;
    return [
      need({
        severity: "warning",
        what: `the list of collection ${collectionId} was ${read}${why}`,
        oldestAt: since,
        action: "Check that invoice-relay serve is running with workers, and what doctor says.",
        command: "doctor",
      }),
    ];
  });
}

/** One failure or two may pass by themselves. */
const FAILURES_TOLD = 3;

function webhookNeeds({ notifyingFailures: failures }: Facts): Need[] {
  if (failures < FAILURES_TOLD) return [];
  return [
    need({
      severity: "warning",
      what: `people are not told of alarms: ALARM_WEBHOOK_URL has not taken the last ${failures} messages`,
      action: "Try it with doctor, and read in the log what it answers.",
      command: "doctor",
    }),
  ];
}

/** What no other need tells of. */
function alarmNeeds({ openAlarms, dead, quarantined, unproven, processes, at }: Facts): Need[] {
  const isCounted = (name: AlarmName) =>
    COUNTED.includes(name) && dead.confirmations + dead.events + quarantined > 0;
  return (
    openAlarms
      .filter(({ name, count }) => count > 0 && ALARMS[name].about !== "upstream" && !isCounted(name))
      .filter(({ name }) => name !== "certificate_gap" || unproven.length === 0)
      // What waits is told by how long it does.
      .filter(({ name }) => name !== "payments_waiting")
      .filter(({ name }) => name !== "silent_process" || undoneWork(processes, at).length === 0)
      .map(({ name, title, severity, count, subject, oldestAt, newestAt }) =>
        need({
          severity,
          what: subject === null || subject === "" ? title : `${title} (${subject})`,
          count,
          oldestAt,
          newestAt,
          action: ALARMS[name].action,
          alarm: name,
          command: `alarms --name ${name}`,
          page: "alarms",
        }),
      )
  );
}
