import { ALARMS, type AlarmName, alarmsAbout } from "../alarms/alarm-definitions.ts";
import { numberOf } from "../kit/text.ts";
import { clock, spanText } from "../kit/time.ts";
import { keepsPayments, standingIn, undoneWork } from "../work/silent-processes.ts";
import { LONG_SECONDS } from "./backlog.ts";
import { type Facts, type Held, type Need, need } from "./status.ts";

/** Work that is overdue by more than this, in s, has no worker or too few. */
const STUCK_SECONDS = 60;

/** What keeps a source or topic from its work and does not end by itself. Pure. */
export const heldNeeds = (facts: Facts): Need[] => [...failingNeeds(facts), ...pauseNeeds(facts)];

/** Those that no need tells of: they are only held up for a while. */
export const onlyHeld = (facts: Facts): Held[] =>
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
  const names = alarmsAbout("upstream");
  return facts.openAlarms
    .filter(({ name, count }) => names.includes(name) && name !== "pause_standing" && count > 0)
    .map(({ name, title, severity, count, oldestAt, newestAt }) => {
      const about = facts.upstreamAlarms.filter((alarm) => alarm.name === name).map(({ subject }) => subject);
      const which = count === 1 && about[0] !== undefined ? ` (${about[0]})` : "";
      const waits = waitingBehind(facts, about);
      const isLong = waits.some(({ oldestSeconds }) => oldestSeconds >= LONG_SECONDS);
      return need({
        severity: isLong ? "critical" : severity,
        what: `${title}${which}${waits.map(waitWords).join("")}`,
        count,
        oldestAt,
        newestAt,
        action: ALARMS[name].action,
        alarm: name,
        command: count === 1 ? null : `alarms --name ${name}`,
        page: "alarms",
      });
    });
}

/** What waits behind these sources or topics. */
function waitingBehind({ waiting, waitingEvents, held }: Facts, names: readonly string[]) {
  const holds = (work: Held["work"]) => held.some((one) => one.work === work && names.includes(one.name));
  const unasked = waiting.filter(({ source }) => holds("confirm") && names.includes(source));
  return totalsOf(unasked, holds("publish") ? waitingEvents : []);
}

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

function pauseNeeds(facts: Facts): Need[] {
  return facts.held
    .filter((upstream) => needsResume(facts, upstream))
    .map((upstream) => {
      const { work, name, pausedAt } = upstream;
      const isLong = pausedAt !== null && +facts.at - +pausedAt >= LONG_SECONDS * 1_000;
      return need({
        severity: isLong ? "critical" : "warning",
        what: `${heldWords(upstream)}${upstream.pausedUntil === null ? ", and it does not end automatically" : ""}${waitingBehind(facts, [name]).map(waitWords).join("")}`,
        oldestAt: pausedAt,
        action: "Once the reason is gone, resume it.",
        command: `resume ${work}${work === "confirm" ? ` --source ${name}` : ""}`,
        page: "settings",
      });
    });
}

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
  // None says so of an older version.
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
export function processNeeds(facts: Facts): Need[] {
  const behind = totalsOf(facts.waiting, facts.waitingEvents).map(waitWords).join("");
  const undone = undoneIn(facts).map(({ what, seenAt, stopsWork, alarm }) =>
    need({
      severity: "critical",
      what: stopsWork ? `${what}${behind}` : what,
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
export function standingNeeds(facts: Facts): Need[] {
  const behind = totalsOf(facts.waiting, facts.waitingEvents).map(waitWords).join("");
  const standing = new Map(standingIn(facts.processes).map((one) => [`${one.worker}: ${one.reason}`, one]));
  return [...standing.values()].map(({ worker, reason, action }) =>
    need({
      severity: "critical",
      what: `work fails again and again (${worker}): ${reason}${keepsPayments(worker) ? behind : ""}`,
      action: `${action} It goes on by itself then.`,
    }),
  );
}

/** What waits and is told by nothing that holds it up: at once too long without a worker, or long in spite of any. */
export function backlogNeeds(facts: Facts): Need[] {
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
