import { countText, numberOf } from "../../platform/values/text.ts";
import { clock } from "../../platform/values/time.ts";
import type { Plan, Refusal, Replay } from "../list/results.ts";
import {
  count,
  eachOf,
  type Field,
  id,
  listOf,
  type Next,
  type Rows,
  source,
  state,
  text,
  time,
  type View,
  words,
} from "./view.ts";

const FIELDS: readonly Field<Replay>[] = [
  state("What", "kind", { phone: "lead" }),
  state("State", ({ state, underWay }) => (state === "running" && !underWay ? "interrupted" : state), {
    phone: "side",
  }),
  text("Progress", ({ handled, matching }) => `${countText(handled)} of ${countText(matching)}`),
  words("Of", ({ filters }) => filterWords(filters), { isLong: true }),
  text("By", "requestedBy"),
  time("Requested", "requestedAt"),
];

export const REPLAYS: Rows<Replay> = {
  one: "replay",
  id: id("Replay", "id", { of: "replay" }),
  columns: FIELDS,
  none: "No replay has run yet.",
  why:
    "When a consumer lost events, a key was wrong for an hour, or callbacks could not be read, run that part " +
    "of the log again. The dry run first shows the extent.",
};

/** The filters of a replay in one line. */
function filterWords({ from, to, invoiceIds, callbackIds, refused, ...filters }: Replay["filters"]): string {
  const chosen = invoiceIds ?? callbackIds;
  return [
    chosen === undefined ? "everything" : `${countText(chosen.length)} chosen`,
    ...(from === undefined ? [] : [`from ${clock(new Date(from))}`]),
    ...(to === undefined ? [] : [`until ${clock(new Date(to))}`]),
    ...Object.entries(filters).map(([name, value]) => `${name} ${value}`),
    ...(refused === true ? ["refused ones too"] : []),
  ].join(", ");
}

const REFUSALS: Rows<Refusal> = {
  one: "event",
  id: id("Event", "eventId"),
  columns: [id("Invoice", "invoiceId", { of: "invoice" }), text("Why", "error", { isLong: true }), source()],
};

/** Events that matched and were neither sent nor refused, though it is done. */
export const leftOut = ({ kind, state, matching, handled }: Replay): number =>
  kind === "events" && state === "done" ? matching - handled : 0;

const facts: readonly Field<Replay>[] = [
  ...FIELDS,
  count("Accepted by SNS", ({ kind, sent }) => (kind === "events" ? sent : null)),
  count("Confirmations opened", ({ kind, opened }) => (kind === "events" ? null : opened)),
  count("Refused", "refused"),
  count("Left out", (replay) => leftOut(replay) || null, {
    note: () => "queued again meanwhile, or without a topic in the settings of the process that ran it",
  }),
  text("Goes to", ({ kind, target }) =>
    kind !== "events" ? "the provider" : target.kind === "other_topic" ? target.topicArn : "their topics",
  ),
  text("At most", ({ rate }) => `${countText(rate)} a second`),
  time("Begun", "startedAt"),
  time("Ended", "finishedAt"),
  words("Waits for", "waitsFor"),
  text("Stopped by", "lastError"),
  id("Replay", "id", { of: "replay" }),
];

function next({ id, state, underWay }: Replay): Next[] {
  const resume: Next = { operation: "resumeReplay", args: { id }, why: "Resume it" };
  if (state === "failed" || state === "cancelled") return [resume];
  if (state !== "running") return [];
  return [...(underWay ? [] : [resume]), { operation: "cancelReplay", args: { id }, why: "Stop it" }];
}

export const REPLAY: View<Replay> = { facts, next };

export const REPLAY_SHOWN: View<{ replay: Replay; refusals: readonly Refusal[] }> = {
  each: eachOf(({ replay }) => [replay], { facts }),
  lists: [listOf("refusals", REFUSALS, "Refused by SNS")],
  next: ({ replay }) => next(replay),
};

export const PLAN: View<Plan> = {
  says: ({ kind, matching }) =>
    matching === 0
      ? `No ${kind} match: there is nothing to replay.`
      : `${numberOf(matching, kind.slice(0, -1))} would be replayed. This was a dry run: nothing was changed.`,
  facts: [],
};
