import { spanText } from "../kit/time.ts";
import type { ReplayPlan } from "../replay/plan-replay.ts";
import type { Replay } from "../replay/replay.ts";
import type { Refusal } from "../replay/replay-rows.ts";
import { table } from "./table.ts";
import { plainText } from "./terminal-text.ts";

const count = (number: number) => number.toLocaleString("en-US");

/** The report of a dry run. */
export function renderPlan(plan: ReplayPlan, rate: number): string {
  const { kind, matching, withNewIds, first } = plan;
  if (matching === 0) return `No ${kind} match: there is nothing to replay.`;
  const found =
    withNewIds === null
      ? ""
      : ` ${count(withNewIds)} of them contain invoice ids without a confirmation: missed before, or lost.`;
  const lines = [
    `${count(matching)} ${matching === 1 ? kind.slice(0, -1) : kind} would be replayed, ${count(rate)} ` +
      `a second at most: about ${spanText(Math.ceil(matching / rate) * 1_000)}.${found}`,
  ];
  if (first.length > 0) {
    const header = [
      "invoice",
      ...(kind === "confirmations" ? [] : [kind.slice(0, -1)]),
      "source",
      "at",
      "about",
    ];
    const rows = first.map((item) => [
      item.invoiceIds.join(" "),
      ...(kind === "confirmations" ? [] : [item.eventId ?? item.callbackId]),
      item.source,
      item.at,
      item.about,
    ]);
    lines.push("", table(header, rows));
  }
  lines.push("", "This was a dry run: nothing was changed. Run it without --dry-run to start.");
  return lines.join("\n");
}

export function renderReplays(replays: readonly Replay[]): string {
  if (replays.length === 0) return "There are no replays yet.";
  return table(
    ["replay", "kind", "state", "handled", "of", "refused", "by", "requested"],
    replays.map((replay) => [
      replay.id,
      replay.kind,
      replay.state,
      replay.handled,
      replay.matching,
      replay.refused,
      replay.requestedBy,
      replay.requestedAt,
    ]),
  );
}

/** One replay, and what to do next. */
export function renderReplay(replay: Replay, refusals: readonly Refusal[]): string {
  const lines = [`Replay ${replay.id} of ${replay.kind}: ${stateOf(replay)}.`];
  lines.push(`${count(replay.handled)} of ${count(replay.matching)} handled${whatOf(replay)}.`);
  if (replay.waitsFor !== null) lines.push(`Waiting: ${plainText(replay.waitsFor)}.`);
  if (replay.lastError !== null) lines.push(`Why: ${plainText(replay.lastError)}`);
  if (refusals.length > 0)
    lines.push(
      "",
      "SNS refused these events; they were not sent:",
      table(
        ["event", "invoice", "source", "why"],
        refusals.map(({ eventId, invoiceId, source, error }) => [eventId, invoiceId, source, error]),
      ),
    );
  lines.push(...nextOf(replay));
  return lines.join("\n");
}

function stateOf(replay: Replay): string {
  if (replay.state !== "running") return replay.state;
  return replay.underWay ? "running" : "interrupted";
}

function whatOf({ kind, opened, sent, refused, target }: Replay): string {
  if (kind !== "events")
    return `, ${count(opened)} ${opened === 1 ? "confirmation" : "confirmations"} opened`;
  if (target.kind === "file") return `, ${count(sent)} written to ${plainText(target.path)}`;
  const where = target.kind === "other_topic" ? ` to ${target.topicArn}` : "";
  return `, ${count(sent)} sent${where}, ${count(refused)} refused`;
}

function nextOf({ id, kind, state, underWay, target, opened }: Replay): string[] {
  if (state === "done" && kind !== "events" && opened > 0)
    return ["A running invoice-relay serve asks the provider; see: invoice-relay invoice <id>"];
  if (state === "failed" || state === "cancelled")
    return [`Resume it with: invoice-relay replay resume ${id}`];
  if (state !== "running" || underWay) return [];
  const serves = target.kind === "file" ? "" : " A running relay takes it up automatically.";
  return [
    `Resume it with: invoice-relay replay resume ${id}.${serves}`,
    `End it with: invoice-relay replay cancel ${id}`,
  ];
}
