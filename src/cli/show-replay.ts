import type { Database } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { SERVE_REQUIRES, sourceNamesOf, sourcesOf } from "../kit/settings.ts";
import { countText, numberOf, plainText } from "../kit/text.ts";
import { spanText } from "../kit/time.ts";
import type { Route } from "../publish/event-log.ts";
import type { ReplayPlan } from "../replay/plan-replay.ts";
import type { Replay, ReplayKind } from "../replay/replay.ts";
import { listRefusals, type Refusal } from "../replay/replay-rows.ts";
import { followReplay, ReplayRunner } from "../replay/replay-runner.ts";
import { leaseOf } from "../work/lease.ts";
import { listProcesses } from "../work/relay-process.ts";
import { notifyWorkers } from "../work/wake-up.ts";
import type { CommandContext } from "./command-context.ts";
import { Progress } from "./progress.ts";
import { type Columns, table } from "./table.ts";

interface WantedReplay {
  kind: ReplayKind;
  /** Send events from this process: with its own right to publish. */
  here: boolean;
}

/**
 * Who runs a replay, and the routes of its events. The relay sends events, since often it alone may publish;
 * all else is done here. `runner` is null where the relay does it.
 */
export async function chooseRunner(
  context: CommandContext,
  db: Database,
  { kind, here }: WantedReplay,
): Promise<{ runner: ReplayRunner | null; routes: readonly Route[] }> {
  const common = {
    db,
    lease: leaseOf(context.settings().LEASE_DURATION),
    onConfirmations: () => notifyWorkers(db, "confirm"),
    alarms: null,
    sources: sourceNamesOf(context.settings()),
  };
  if (kind !== "events") return { runner: new ReplayRunner({ ...common, routes: [] }), routes: [] };
  const { destinationOf } = await import("../app/publishing.ts");
  const { routesOf } = await import("../app/upstreams.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const routes = routesOf(sourcesOf(settings));
  if (!here) return { runner: null, routes };
  const createDestination = () => destinationOf(settings, 1);
  return { runner: new ReplayRunner({ ...common, routes, createDestination }), routes };
}

/**
 * Checks that a process runs that takes up what is queued.
 * @throws RelayError if none does.
 */
export async function requireRelay(db: Database): Promise<void> {
  const processes = await listProcesses(db);
  if (processes.some(({ workers, lives }) => workers && lives)) return;
  throw new RelayError(
    "No relay runs that could send these events. Start invoice-relay serve, or send them from here, with " +
      "the AWS credentials of this shell: add --here.",
  );
}

/**
 * Follows the replay in this process or in the relay's, until it ends or a stop is
 * requested, and reports the result.
 */
export async function showReplay(
  context: CommandContext,
  { db, runner, started }: { db: Database; runner: ReplayRunner | null; started: Replay },
): Promise<void> {
  const wish = context.listenForStop();
  const progress = new Progress(context.stderr);
  let waitedFor: string | null = null;
  context.remark(
    runner === null
      ? `Replay ${started.id} is queued; the relay sends it (on Lambda within five minutes).`
      : `Replay ${started.id} begins.`,
  );
  const replay = await followReplay(started, {
    db,
    runner,
    stop: wish.signal,
    onProgress(now) {
      progress.reached(now.kind, now.handled, now.matching);
      if (now.waitsFor !== null && now.waitsFor !== waitedFor) context.remark(`Waiting: ${now.waitsFor}.`);
      waitedFor = now.waitsFor;
    },
  });
  progress.end();
  await wish.finish(Promise.resolve(), 1_000);
  const refusals = await listRefusals({ db, id: replay.id });
  context.show({ replay, refusals }, () => renderReplay(replay, refusals));
  if (replay.state !== "done" || replay.refused > 0 || leftOut(replay) > 0) context.fault();
}

export function renderPlan(plan: ReplayPlan, rate: number): string {
  const { kind, matching, first } = plan;
  if (matching === 0) return `No ${kind} match: there is nothing to replay.`;
  const lines = [
    `${numberOf(matching, kind.slice(0, -1))} would be replayed, ${countText(rate)} ` +
      `a second at most: about ${spanText(Math.ceil(matching / rate) * 1_000)}.`,
  ];
  if (first.length > 0) {
    const own: Columns<(typeof first)[number]> =
      kind === "confirmations" ? {} : { [kind.slice(0, -1)]: (item) => item.eventId ?? item.callbackId };
    const invoice = ({ invoiceIds }: (typeof first)[number]) => invoiceIds.join(" ");
    lines.push("", table(first, { invoice, ...own, source: "source", at: "at", about: "about" }));
  }
  lines.push("", "This was a dry run: nothing was changed. Run it without --dry-run to start.");
  return lines.join("\n");
}

export function renderReplays(replays: readonly Replay[]): string {
  if (replays.length === 0) return "There are no replays yet.";
  return table(replays, {
    replay: "id",
    kind: "kind",
    state: "state",
    handled: "handled",
    of: "matching",
    refused: "refused",
    by: "requestedBy",
    requested: "requestedAt",
  });
}

export function renderReplay(replay: Replay, refusals: readonly Refusal[]): string {
  const lines = [`Replay ${replay.id} of ${replay.kind}: ${stateOf(replay)}.`];
  lines.push(`${countText(replay.handled)} of ${countText(replay.matching)} handled${whatOf(replay)}.`);
  const left = leftOut(replay);
  if (left > 0)
    lines.push(
      `${numberOf(left, "event")} ${left === 1 ? "was" : "were"} left out: queued again meanwhile, or without a ` +
        "topic in the settings of the process that ran it.",
    );
  if (replay.waitsFor !== null) lines.push(`Waiting: ${plainText(replay.waitsFor)}.`);
  if (replay.lastError !== null) lines.push(`Why: ${plainText(replay.lastError)}`);
  if (refusals.length > 0)
    lines.push(
      "",
      "SNS refused these events; they were not sent:",
      table(refusals, { event: "eventId", invoice: "invoiceId", source: "source", why: "error" }),
    );
  lines.push(...nextOf(replay));
  return lines.join("\n");
}

/** Events that matched and were neither sent nor refused, though it is done. */
const leftOut = ({ kind, state, matching, handled }: Replay): number =>
  kind === "events" && state === "done" ? matching - handled : 0;

function stateOf(replay: Replay): string {
  if (replay.state !== "running") return replay.state;
  return replay.underWay ? "running" : "interrupted";
}

function whatOf({ kind, opened, sent, refused, target }: Replay): string {
  if (kind !== "events") return `, ${numberOf(opened, "confirmation")} opened`;
  const where = target.kind === "other_topic" ? ` to ${target.topicArn}` : "";
  return `, ${countText(sent)} sent${where}, ${countText(refused)} refused`;
}

function nextOf({ id, kind, state, underWay, opened }: Replay): string[] {
  if (state === "done" && kind !== "events" && opened > 0)
    return ["A running invoice-relay serve asks the provider; see: invoice-relay invoice <id>"];
  if (state === "failed" || state === "cancelled")
    return [`Resume it with: invoice-relay replay resume ${id}`];
  if (state !== "running") return [];
  const end = `End it with: invoice-relay replay cancel ${id}`;
  if (underWay) return [`It goes on. ${end}`];
  return [
    `Resume it with: invoice-relay replay resume ${id}. A running relay takes it up automatically.`,
    end,
  ];
}
