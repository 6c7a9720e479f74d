import { READ_ONLY } from "../database/recording-problem.ts";
import { clock, DAY_MS, spanText } from "../kit/time.ts";
import type { Facts, Held } from "./status-facts.ts";

/** Something that waits for a person. */
export interface Need {
  /** What is wrong, in plain words. */
  what: string;
  /** What to do about it, a sentence. */
  action: string;
  /** The command to begin with, as typed after `invoice-relay`; null where none helps. */
  command: string | null;
  /** The page of the console where it is done; null where none is. */
  page: NeedPage | null;
}

export const NEED_PAGES = ["dead", "quarantine", "alarms", "completeness", "settings"] as const;
type NeedPage = (typeof NEED_PAGES)[number];

const BY_HAND_ELSEWHERE = { command: null, page: null };

/** Work that is overdue by more than this, in s, has no worker or too few. */
const STUCK_SECONDS = 120;

/** After this many intervals without a finished sweep, something is wrong. */
const MISSED_INTERVALS = 3;
const SWEEP_TAKES_MS = 600_000;

/** Today's certificate is expected by this time of day (UTC), in ms. */
const CERTIFIED_BY_MS = 6 * 3_600_000;

/** What a person should do now, the most urgent first. Pure. */
export function needsOf(facts: Facts): Need[] {
  return [
    ...recordingNeeds(facts),
    ...processNeeds(facts),
    ...pauseNeeds(facts),
    ...backlogNeeds(facts),
    ...deliveryNeeds(facts),
    ...proofNeeds(facts),
    ...alarmNeeds(facts),
  ];
}

/** What to do, for someone at a terminal. */
export const adviceOf = ({ action, command }: Need): string =>
  command === null ? action : `${action} Run: invoice-relay ${command}`;

/** How the relay is doing, in one sentence. Pure. */
export function sentenceOf(facts: Facts, needs: readonly Need[]): string {
  if (needs.length > 0) {
    const things = needs.length === 1 ? "" : `${needs.length} things: `;
    return `A person is needed: ${things}${needs.map(({ what }) => what).join("; ")}.`;
  }
  const held = facts.held.map(heldWords);
  if (held.length > 0) return `Nothing needs a person, but work is held up: ${held.join("; ")}.`;
  if (facts.sources.length === 0)
    return "Nothing has happened yet: serve was never started with this database. Run: invoice-relay serve";
  if (facts.lastCallbackAt === null)
    return "All is well, and nothing has happened yet: no callback has come in.";
  return "All is well: nothing needs a person.";
}

function recordingNeeds({ readOnly, processes }: Facts): Need[] {
  const told = processes.flatMap(({ lives, recordingProblem }) => (lives ? (recordingProblem ?? []) : []));
  const problems = new Map((readOnly ? [READ_ONLY] : told).map((why) => [why.reason, why]));
  return [...problems.values()].map(({ reason, action }) => ({
    what: `callbacks cannot be recorded: ${reason}`,
    action: `${action} Callbacks are answered 503 until then, and sent again.`,
    ...BY_HAND_ELSEWHERE,
  }));
}

function processNeeds({ processes, readOnly }: Facts): Need[] {
  // A process can say nothing there.
  if (readOnly) return [];
  const working = processes.filter(({ workers }) => workers);
  const [last] = working;
  if (last === undefined || working.some(({ lives }) => lives)) return [];
  return [
    {
      what:
        `no process confirms and publishes: the one on ${last.host} (pid ${last.pid}) has been silent ` +
        `since ${clock(last.seenAt)}`,
      action:
        "Start invoice-relay serve again (on Lambda: check its schedules), and read its log. Open work is " +
        "resumed automatically.",
      ...BY_HAND_ELSEWHERE,
    },
  ];
}

function pauseNeeds({ held }: Facts): Need[] {
  return held.flatMap((upstream): Need[] => {
    const { state, pausedUntil, work, name } = upstream;
    if (state === "refused")
      return [
        {
          what: heldWords(upstream),
          action:
            work === "confirm"
              ? "Check COLLECTION_API_KEY and whether this address is allowed. It resumes automatically."
              : "Check the topic, AWS_REGION and the credentials. It resumes automatically.",
          ...BY_HAND_ELSEWHERE,
        },
      ];
    if (state !== "paused" || pausedUntil !== null) return [];
    const which = work === "confirm" ? ` --source ${name}` : "";
    return [
      {
        what: `${heldWords(upstream)}, and it does not end automatically`,
        action: "Once the reason is gone, resume it.",
        command: `resume ${work}${which}`,
        page: "settings",
      },
    ];
  });
}

function backlogNeeds({ waiting, backlog, held }: Facts): Need[] {
  const isHeld = (work: Held["work"], name?: string) =>
    held.some((upstream) => upstream.work === work && (name === undefined || upstream.name === name));
  const stuck = waiting
    .filter(({ source, oldestSeconds }) => oldestSeconds > STUCK_SECONDS && !isHeld("confirm", source))
    .map(({ source, count, oldestSeconds }) => ({
      what:
        `${count} ${count === 1 ? "confirmation" : "confirmations"} of source ${source} should have been ` +
        `asked up to ${spanText(oldestSeconds * 1_000)} ago`,
      action:
        "Check that invoice-relay serve is running with workers; if it is, raise CONFIRM_CONCURRENCY or " +
        "CONFIRM_RATE_PER_SECOND.",
      ...BY_HAND_ELSEWHERE,
    }));
  if (backlog.oldestEventSeconds > STUCK_SECONDS && !isHeld("publish"))
    stuck.push({
      what: `an event has waited for ${spanText(backlog.oldestEventSeconds * 1_000)} to be published`,
      action: "Check that invoice-relay serve is running with workers, and what its log says about SNS.",
      ...BY_HAND_ELSEWHERE,
    });
  return stuck;
}

function deliveryNeeds({ dead, quarantined }: Facts): Need[] {
  const letters = dead.confirmations + dead.events;
  const needs: Need[] = [];
  if (letters > 0)
    needs.push({
      what: `${letters} dead ${letters === 1 ? "letter" : "letters"}`,
      action: "Read why; once the cause is gone, retry them.",
      command: "dead list",
      page: "dead",
    });
  if (quarantined > 0)
    needs.push({
      what: `${quarantined} ${quarantined === 1 ? "invoice" : "invoices"} in quarantine`,
      action: "Release what is yours, and dismiss the rest.",
      command: "quarantine list",
      page: "quarantine",
    });
  return needs;
}

function proofNeeds(facts: Facts): Need[] {
  const { settings, sweeps, certificates, at, held } = facts;
  const needs: Need[] = [];
  for (const { name, reconciliation } of settings.sources ?? [])
    if (reconciliation === "unset")
      needs.push({
        what: `source ${name} is not reconciled: a payment whose callback never comes is missed`,
        action: "Set COLLECTION_IDS to the collections of this account, or to none if that is intended.",
        ...BY_HAND_ELSEWHERE,
      });
  const isHeld = (source: string) => held.some(({ work, name }) => work === "confirm" && name === source);
  const patienceMs = MISSED_INTERVALS * settings.intervalMs + SWEEP_TAKES_MS;
  for (const { source, collectionId, finishedAt, nextAt, lastError } of sweeps) {
    const since = finishedAt ?? nextAt;
    if (!isSwept(facts, source, collectionId)) continue;
    if (since === null || +at - +since < patienceMs || isHeld(source)) continue;
    const why = lastError === null ? "" : ` (${lastError})`;
    needs.push({
      what:
        `the list of collection ${collectionId} was last read ` +
        `${finishedAt === null ? "never" : `at ${clock(finishedAt)}`}${why}`,
      action: "Check that invoice-relay serve is running with workers, and what doctor says.",
      command: "doctor",
      page: null,
    });
  }
  for (const { source, day, result, gaps, id } of certificates) {
    if (result === "not_equal")
      needs.push({
        what:
          `the last certificate of source ${source} is not ` +
          `equal${gaps > 0 ? `: ${gaps} ${gaps === 1 ? "gap" : "gaps"}` : ""}`,
        action: "Read what is missing, then reconcile.",
        command: `certificate show ${id}`,
        page: "completeness",
      });
    if (result === "refused")
      needs.push({
        what: `the last certificate of source ${source} was refused: it proves nothing`,
        action: "Read why.",
        command: `certificate show ${id}`,
        page: "completeness",
      });
    if (+at - Date.parse(day) > DAY_MS + CERTIFIED_BY_MS)
      needs.push({
        what: `the last daily certificate of source ${source} is from ${day}`,
        action:
          "Check that invoice-relay serve is running with workers, and what its log says about certify.",
        ...BY_HAND_ELSEWHERE,
      });
  }
  return needs;
}

/** Whether the settings still name it, or name nothing. */
const isSwept = ({ settings: { sources } }: Facts, source: string, collectionId: string): boolean =>
  sources === null ||
  sources.some(({ name, collectionIds }) => name === source && collectionIds.includes(collectionId));

function alarmNeeds({ openAlarms }: Facts): Need[] {
  const total = openAlarms.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const names = openAlarms.map(({ name, count }) => (count > 1 ? `${name} ${count} times` : name)).join(", ");
  return [
    {
      what: `${total === 1 ? "an alarm is" : `${total} alarms are`} open (${names})`,
      action: "Each one says below what to do.",
      command: "alarms",
      page: "alarms",
    },
  ];
}

/** What holds up a source or topic, who did it, and until when. */
export function heldWords({ work, name, state, actor, pauseReason, pausedAt, ...upstream }: Held): string {
  const what = work === "confirm" ? `asking the provider for source ${name}` : `sending to ${name}`;
  const why = upstream.lastError === null ? "" : ` (${upstream.lastError})`;
  switch (state) {
    case "paused": {
      const by = actor === null ? "" : ` by ${actor}`;
      const since = pausedAt === null ? "" : ` since ${clock(pausedAt)}`;
      const until = upstream.pausedUntil === null ? "" : `, until ${clock(upstream.pausedUntil)}`;
      return `${what} is paused${by}${since}${until}${pauseReason === null ? "" : ` (${pauseReason})`}`;
    }
    case "refused":
      return `${what} is refused${pausedAt === null ? "" : ` since ${clock(pausedAt)}`}${why}`;
    case "backing_off": {
      const until = upstream.opensAt === null ? "" : ` until ${clock(upstream.opensAt)}`;
      return `${what} is backing off${until}${why}`;
    }
    default:
      return `${what} is being tried again${why}`;
  }
}
