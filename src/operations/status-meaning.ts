import { READ_ONLY } from "../platform/database/index.ts";
import { clock, numberOf } from "../platform/values/index.ts";
import { unprovenIn } from "./late-proofs.ts";
import type { ActionItem, AlarmGroup, Facts, Held, Status } from "./status.ts";

/**
 * Faults that no alarm can report. Either Postgres cannot be written to (callbacks are not recorded, the schema is
 * another), or no process is there to raise it: no worker, no receiver, no process that knows a source of the
 * settings. Pure.
 */
function actionItemsOf(facts: Facts): ActionItem[] {
  const { settings, processes, readOnly, sources, openAlarms, versions } = facts;
  const items: ActionItem[] = [];
  const add = (what: string, action: string, given: Partial<ActionItem> = {}) =>
    items.push({ ...{ severity: "critical", what, action, remedy: null }, ...given });
  const living = processes.filter(({ lives }) => lives);
  const said = living.flatMap(({ recordingProblem }) => recordingProblem ?? []);
  const problems = readOnly ? [READ_ONLY] : said.filter(({ worker }) => worker === undefined);
  for (const { reason, action } of new Map(problems.map((why) => [why.reason, why])).values())
    add(
      `callbacks cannot be recorded: ${reason}`,
      `${action} Callbacks are answered 503 until then, and sent again.`,
    );
  if (versions.schema === "behind")
    add(
      "the database lacks migrations of this program",
      "A backup of an older version may have been restored.",
      {
        remedy: { operation: "migrate", args: {} },
      },
    );
  // A process that could not write is not taken for dead; a living process raises the alarm about silent ones.
  const isTold = readOnly || (living.length > 0 && openAlarms.some(({ name }) => name === "silent_process"));
  const undone = isTold || sources.length + processes.length === 0 ? null : undoneIn(facts);
  if (undone !== null)
    add(
      undone,
      "Start it again with the same settings, and read its log. Open work is resumed automatically.",
    );
  const served = living.flatMap(({ serves }) => Object.keys(serves.sources ?? {}));
  for (const { name, reconciliation } of settings.sources ?? []) {
    if (served.length > 0 && !served.includes(name))
      add(
        `no process serves source ${name}: its callbacks are refused, and its invoices are not requested`,
        "Restart the relay with the settings that name it.",
      );
    if (reconciliation === "unset")
      add(
        `source ${name} is not reconciled: a payment whose callback is lost is missed`,
        "Set COLLECTION_IDS to the collections of this account, or to none if that is intended.",
        { severity: "warning" },
      );
  }
  return items;
}

/** Names the work that no living process does. */
function undoneIn({ processes }: Facts): string | null {
  const living = processes.filter(({ lives }) => lives);
  const last = processes[0];
  const since = last === undefined ? "" : `, and none has since ${clock(last.seenAt)}`;
  if (living.length === 0) return `no relay runs, so callbacks are not taken, confirmed or published${since}`;
  if (!living.some(({ workers }) => workers))
    return "no process confirms and publishes: those that run have no workers";
  if (living.some(({ http, onLambda }) => http || onLambda)) return null;
  return "no process takes callbacks: those that run have workers only";
}

/** The relay's state in one sentence: all is well, or the gravest fault. Pure. */
export function assess(facts: Facts): Omit<Status, keyof Facts> {
  const { openAlarms, held, sources } = facts;
  const actionItems = actionItemsOf(facts);
  const worst =
    actionItems.find(({ severity }) => severity === "critical") ?? openAlarms[0] ?? actionItems[0];
  const say = (sentence: string, isProven = false) => ({
    ...{ sentence, needsPerson: worst !== undefined, isProven, actionItems },
  });
  if (worst !== undefined) {
    const rest =
      openAlarms.reduce((sum, { count }) => sum + count, actionItems.length) -
      ("count" in worst ? worst.count : 1);
    const more = rest > 0 ? ` A person is needed for ${numberOf(rest, "more thing")}.` : "";
    return say(
      `Not all is well: ${"title" in worst ? `${groupWords(worst)}, since ${clock(worst.oldestAt)}` : worst.what}.${more}`,
    );
  }
  if (sources.length === 0) return say("Nothing has happened yet: no relay has run with this database.");
  const unproven = unprovenIn(facts);
  // Their alarms may have been closed by hand.
  const waiting = facts.dead.confirmations + facts.dead.events + facts.quarantined;
  const but = [
    ...(waiting > 0 ? [`${numberOf(waiting, "payment waits", "payments wait")} for a decision`] : []),
    ...held.map(heldWords),
    ...(unproven.length > 0 ? [`not all is proven: ${unproven.join(", ")}`] : []),
  ];
  if (but.length > 0) return say(`Nothing needs a person, but ${but.join("; ")}.`);
  const [day] = facts.certificates.map((one) => one.day).sort();
  const proven = `payments before ${day} are certified, and each list of the provider was read lately`;
  return say(`All is well: ${proven}.`, true);
}

export const groupWords = ({ title, subject }: Pick<AlarmGroup, "title" | "subject">): string =>
  subject ? `${title} (${subject})` : title;

/** Says why a source or topic is held up, by whom, and until when. */
export function heldWords({ work, name, state, actor, pauseReason, pausedAt, ...upstream }: Held): string {
  const what = work === "confirm" ? `asking the provider for source ${name}` : `sending to ${name}`;
  const why = upstream.lastError === null ? "" : ` (${upstream.lastError})`;
  switch (state) {
    case "paused": {
      const by = ` by ${actor ?? "a person"}`;
      const since = pausedAt === null ? "" : ` since ${clock(pausedAt)}`;
      return `${what} is paused${by}${since}${pauseReason === null ? "" : ` (${pauseReason})`}`;
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
