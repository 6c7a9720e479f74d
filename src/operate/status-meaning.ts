import { ALARMS, type AlarmName, actionOf } from "../alarms/alarm-definitions.ts";
import { READ_ONLY } from "../database/recording-problem.ts";
import { numberOf } from "../kit/text.ts";
import { clock, DAY_MS, spanText } from "../kit/time.ts";
import { keepsPayments, standingIn, undoneWork } from "../work/silent-processes.ts";
import { LONG_SECONDS } from "./backlog.ts";
import { countThings, type Facts, type Held, type Need, need, worstFirst } from "./status.ts";

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
    ["confirmation_dead", dead.confirmations, "confirmation given up", "confirmations given up"],
    ["event_dead", dead.events, "event given up", "events given up"],
    ["invoice_quarantined", quarantined, "invoice in quarantine", "invoices in quarantine"],
  ] as const;
  return waiting
    .map(([name, all, one, several]) => {
      const told = openAlarms.find((group) => group.name === name);
      return { name, one, several, told, count: all - (told?.snoozed ?? 0) };
    })
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

/** What an open alarm asks of a person. */
const alarmNeed = (
  { name, title, severity, count, subject, oldestAt, newestAt }: Facts["openAlarms"][number],
  behind: ReturnType<typeof totalsOf> = [],
): Need =>
  need({
    severity: behind.some(({ oldestSeconds }) => oldestSeconds >= LONG_SECONDS) ? "critical" : severity,
    what: `${title}${subject ? ` (${subject})` : ""}${behind.map(waitWords).join("")}`,
    ...{ count, oldestAt, newestAt },
    action: actionOf(name, subject),
    alarm: name,
    command: `alarms --name ${name}`,
    page: "alarms",
  });

/** What no other need tells of. */
function alarmNeeds({ openAlarms, dead, quarantined, unproven, processes, at }: Facts): Need[] {
  const toldElsewhere: readonly AlarmName[] = [
    // What waits is told by how long it does.
    "payments_waiting",
    ...(dead.confirmations + dead.events + quarantined > 0 ? COUNTED : []),
    ...(unproven.length > 0 ? (["certificate_gap"] as const) : []),
    ...(undoneWork(processes, at).length > 0 ? (["silent_process"] as const) : []),
  ];
  return openAlarms
    .filter(
      ({ name, count }) => count > 0 && ALARMS[name].about !== "upstream" && !toldElsewhere.includes(name),
    )
    .map((group) => alarmNeed(group));
}

/** Work that is overdue by more than this, in s, has no worker or too few. */
const STUCK_SECONDS = 60;

/** What keeps a source or topic from its work and does not end by itself. Pure. */
const heldNeeds = (facts: Facts): Need[] => [...failingNeeds(facts), ...pauseNeeds(facts)];

/** Those that no need tells of: they are only held up for a while. */
const onlyHeld = (facts: Facts): Held[] =>
  facts.held.filter(
    (upstream) =>
      !needsResume(facts, upstream) &&
      !facts.upstreamAlarms.some(
        (alarm) =>
          alarm.subject === upstream.name &&
          alarm.about === "upstream" &&
          alarm.name !== "pause_standing" &&
          !isSnoozed(facts, alarm),
      ),
  );

function failingNeeds(facts: Facts): Need[] {
  return facts.openAlarms
    .filter(({ name, count }) => ALARMS[name].about === "upstream" && name !== "pause_standing" && count > 0)
    .map((group) => {
      const about = facts.upstreamAlarms
        .filter(({ name }) => name === group.name)
        .map(({ subject }) => subject);
      const told = alarmNeed(group, waitingBehind(facts, about));
      return group.count === 1 ? { ...told, command: null } : told;
    });
}

/** What waits behind these sources or topics. */
function waitingBehind({ waiting, waitingEvents, held }: Facts, names: readonly string[]) {
  const holds = (work: Held["work"]) => held.some((one) => one.work === work && names.includes(one.name));
  const unasked = waiting.filter(({ source }) => holds("confirm") && names.includes(source));
  return totalsOf(unasked, holds("publish") ? waitingEvents : []);
}

/** In words, whatever keeps it. */
const allWaiting = ({ waiting, waitingEvents }: Facts): string =>
  totalsOf(waiting, waitingEvents).map(waitWords).join("");

/** What waits of each kind: how much, and how long the oldest has. */
const totalsOf = (payments: Facts["waiting"], events: Facts["waitingEvents"]) =>
  [
    { what: "payment", waiting: payments },
    { what: "event", waiting: events },
  ]
    .filter(({ waiting }) => waiting.length > 0)
    .map(({ what, waiting }) => ({
      what,
      count: waiting.reduce((sum, { count }) => sum + count, 0),
      oldestSeconds: Math.max(...waiting.map(({ oldestSeconds }) => oldestSeconds)),
    }));

const waitWords = ({ what, count, oldestSeconds }: ReturnType<typeof totalsOf>[number]): string =>
  `, and ${numberOf(count, what)} ${count === 1 ? "has waited" : "wait, the oldest"} for ` +
  `${spanText(oldestSeconds * 1_000)} behind it`;

/** A pause needs a person if nothing ends it; not while somebody has snoozed that. */
function needsResume(facts: Facts, { state, name, pausedUntil }: Held): boolean {
  const told = alarmOf(facts, "pause_standing", name);
  return state === "paused" && pausedUntil === null && !isSnoozed(facts, told);
}

/** The open one of this source or topic. */
const alarmOf = ({ upstreamAlarms }: Facts, name: AlarmName, subject: string) =>
  upstreamAlarms.find((alarm) => alarm.name === name && alarm.subject === subject);

const isSnoozed = ({ at }: Facts, alarm: ReturnType<typeof alarmOf>): boolean =>
  alarm?.snoozedUntil != null && alarm.snoozedUntil > at;

const pauseNeeds = (facts: Facts): Need[] =>
  facts.held
    .filter((upstream) => needsResume(facts, upstream))
    .map((upstream) => {
      const { work, name, pausedAt } = upstream;
      const isLong = pausedAt !== null && +facts.at - +pausedAt >= LONG_SECONDS * 1_000;
      const behind = waitingBehind(facts, [name]).map(waitWords).join("");
      return need({
        severity: isLong ? "critical" : "warning",
        what: `${heldWords(upstream)}, and it does not end automatically${behind}`,
        oldestAt: pausedAt,
        action: "Once the reason is gone, resume it.",
        command: `resume ${work}${work === "confirm" ? ` --source ${name}` : ""}`,
        page: "settings",
      });
    });

/** What no process does: the one that did fell silent, or was stopped. */
function undoneIn({ processes, sources, readOnly, at }: Facts) {
  // A process can say nothing there.
  if (readOnly) return [];
  const silent = undoneWork(processes, at).map((one) => ({ ...one, alarm: "silent_process" as const }));
  if (sources.length === 0 || silent.some(({ stopsWork }) => stopsWork)) return silent;
  const living = processes.filter(({ lives }) => lives);
  if (living.every(({ workers }) => !workers)) {
    const runs = living.length > 0 ? "runs without workers" : "is not running";
    const what = `no process confirms and publishes: invoice-relay serve ${runs}`;
    return [...silent, { what, seenAt: null, stopsWork: true, alarm: null }];
  }
  if (silent.length > 0 || living.some(({ http, onLambda }) => http || onLambda)) return silent;
  const what = "no process takes callbacks: invoice-relay serve runs with --workers-only everywhere";
  return [{ what, seenAt: null, stopsWork: false, alarm: null }];
}

/** Sources of the settings that every living process was started without. */
function unservedNeeds({ settings, processes }: Facts): Need[] {
  const served = processes
    .filter(({ lives }) => lives)
    .flatMap((one) => Object.keys(one.serves.sources ?? {}));
  if (served.length === 0) return [];
  return (settings.sources ?? [])
    .filter(({ name }) => !served.includes(name))
    .map(({ name }) =>
      need({
        severity: "critical",
        what: `no process serves source ${name}: its callbacks are refused, and nothing of it is asked`,
        action: "Restart invoice-relay serve with the settings that name it.",
      }),
    );
}

/** What a process did that is gone, and what waits behind it; and what none does. */
function processNeeds(facts: Facts): Need[] {
  const undone = undoneIn(facts).map(({ what, seenAt, stopsWork, alarm }) =>
    need({
      severity: "critical",
      what: stopsWork ? `${what}${allWaiting(facts)}` : what,
      oldestAt: seenAt,
      action:
        ALARMS.silent_process.action +
        (seenAt === null
          ? ""
          : " If it runs, Postgres takes nothing of it: a full disk, a lock, the network."),
      alarm,
    }),
  );
  return [...undone, ...unservedNeeds(facts)];
}

/** Work that a process tries in vain; what waits is told with it. */
function standingNeeds(facts: Facts): Need[] {
  const standing = new Map(standingIn(facts.processes).map((one) => [`${one.worker}: ${one.reason}`, one]));
  return [...standing.values()].map(({ worker, reason, action }) =>
    need({
      severity: "critical",
      what: `work fails again and again (${worker}): ${reason}${keepsPayments(worker) ? allWaiting(facts) : ""}`,
      action: `${action} It goes on by itself then.`,
    }),
  );
}

/** What waits and is told by nothing that holds it up: at once too long without a worker, or long in spite of any. */
function backlogNeeds(facts: Facts): Need[] {
  const { waiting, waitingEvents, held, at } = facts;
  const passing = onlyHeld(facts);
  // These tell of what waits behind them.
  const noneWorks =
    undoneIn(facts).some(({ stopsWork }) => stopsWork) ||
    standingIn(facts.processes).some(({ worker }) => keepsPayments(worker));
  const needsOf = (
    work: Held["work"],
    sources: typeof waiting,
    words: { what: string; waitsFor: string; action: string },
  ) =>
    sources.flatMap(({ source, unexplained: count, unexplainedSeconds: seconds }) => {
      const told = alarmOf(facts, "payments_waiting", source);
      const holds = (one: Held) => one.work === work && (work === "publish" || one.name === source);
      const isHeld = held.some(holds);
      const isTold = isSnoozed(facts, told) || (isHeld ? !passing.some(holds) : noneWorks);
      if (isTold || seconds <= (isHeld ? LONG_SECONDS : STUCK_SECONDS)) return [];
      return need({
        severity: "critical",
        what: `${numberOf(count, words.what)} of source ${source} ${count === 1 ? "has" : "have"} waited ${words.waitsFor} for up to ${spanText(seconds * 1_000)}`,
        oldestAt: new Date(+at - seconds * 1_000),
        action: isHeld ? "It is held up, as is said here; resume it, unless that is meant." : words.action,
        ...(told !== undefined && { alarm: told.name, command: `alarms --source ${source}`, page: "alarms" }),
      });
    });
  const unasked = needsOf("confirm", waiting, {
    what: "confirmation",
    waitsFor: "for an answer",
    action:
      "Check that invoice-relay serve is running with workers; if it is, raise CONFIRM_CONCURRENCY or " +
      "CONFIRM_RATE_PER_SECOND.",
  });
  const unsent = needsOf("publish", waitingEvents, {
    what: "event",
    waitsFor: "to be published",
    action:
      "Check that invoice-relay serve is running with workers, and what its log says about SNS. An event's age " +
      "counts from its making, also of one that was retried.",
  });
  return [...unasked, ...unsent];
}

/** What keeps the confirmations of a source from their answers, in words; null where nothing is known to. Pure. */
export function keepsFromAnswers(facts: Facts, source: string): string | null {
  const held = facts.held.find(({ work, name }) => work === "confirm" && name === source);
  if (held !== undefined) return heldWords(held);
  const undone = undoneIn(facts).find(({ stopsWork }) => stopsWork);
  return (
    undone?.what ?? standingIn(facts.processes).find(({ worker }) => keepsPayments(worker))?.reason ?? null
  );
}

/** What holds up a source or topic, who did it, and until when. */
export function heldWords({ work, name, state, actor, pauseReason, pausedAt, ...upstream }: Held): string {
  const what = work === "confirm" ? `asking the provider for source ${name}` : `sending to ${name}`;
  const why = upstream.lastError === null ? "" : ` (${upstream.lastError})`;
  switch (state) {
    case "paused": {
      const by = ` by ${actor ?? "a person"}`;
      const since = pausedAt === null ? "" : ` since ${clock(pausedAt)}`;
      const until = upstream.pausedUntil === null ? "" : `, until ${clock(upstream.pausedUntil)}`;
      return `${what} is paused${by}${since}${until}${pauseReason === null ? "" : ` (${pauseReason})`}`;
    }
    case "refused": {
      const who = work === "confirm" ? "the provider" : "SNS";
      return `${what} is refused by ${who}${pausedAt === null ? "" : ` since ${clock(pausedAt)}`}${why}`;
    }
    case "backing_off": {
      const until = upstream.opensAt === null ? "" : ` until ${clock(upstream.opensAt)}`;
      return `${what} is backing off${until}${why}`;
    }
    default:
      return `${what} is being tried again${why}`;
  }
}
