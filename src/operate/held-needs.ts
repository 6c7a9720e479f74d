import { ALARMS, alarmsAbout } from "../alarms/alarm-definitions.ts";
import { numberOf } from "../kit/text.ts";
import { clock, spanText } from "../kit/time.ts";
import { LONG_SECONDS } from "./backlog.ts";
import { type Facts, type Held, type Need, need } from "./status.ts";

/** What keeps a source or topic from its work and does not end by itself. Pure. */
export const heldNeeds = (facts: Facts): Need[] => [...failingNeeds(facts), ...pauseNeeds(facts)];

/** Those that no need tells of: they are only held up for a while. */
export const onlyHeld = (facts: Facts): Held[] =>
  facts.held.filter(
    (upstream) =>
      !needsResume(facts, upstream) &&
      !facts.upstreamAlarms.some(
        ({ name, subject, snoozedUntil }) =>
          subject === upstream.name &&
          name !== "pause_standing" &&
          (snoozedUntil === null || snoozedUntil <= facts.at),
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
export const totalsOf = (payments: Facts["waiting"], events: Facts["waitingEvents"]) =>
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

export const waitWords = ({ what, count, oldestSeconds }: ReturnType<typeof totalsOf>[number]): string =>
  `, and ${numberOf(count, what)} ${count === 1 ? "has waited" : "wait, the oldest"} for ` +
  `${spanText(oldestSeconds * 1_000)} behind it`;

/** A pause needs a person if nothing ends it, or if it has stayed; not while somebody has snoozed that. */
function needsResume({ at, upstreamAlarms }: Facts, { state, name, pausedUntil }: Held): boolean {
  const told = upstreamAlarms.find((alarm) => alarm.name === "pause_standing" && alarm.subject === name);
  const isSnoozed = told?.snoozedUntil != null && told.snoozedUntil > at;
  return state === "paused" && !isSnoozed && (pausedUntil === null || told !== undefined);
}

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
