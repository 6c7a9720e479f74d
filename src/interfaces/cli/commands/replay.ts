import { Command, Option } from "commander";
import {
  leftOut,
  PLAN,
  REPLAY_SHOWN,
  readValue,
  replayOperations,
  replayRequest,
} from "../../../operations/index.ts";
import { VERDICTS } from "../../../pipeline/confirm/index.ts";
import type { Route } from "../../../pipeline/publish/index.ts";
import { OWN_VERDICTS } from "../../../pipeline/receive/index.ts";
import {
  DEFAULT_RATES,
  followReplay,
  listRefusals,
  mustFindReplay,
  planReplay,
  type Replay,
  type ReplayKind,
  resumeReplay,
  startReplay,
} from "../../../pipeline/replay/index.ts";
import { SERVE_REQUIRES, sourcesOf } from "../../../platform/config/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { RelayError, usageError } from "../../../platform/errors/index.ts";
import { countText, spanText } from "../../../platform/values/index.ts";
import { listProcesses } from "../../../platform/worker/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, Progress, viewText } from "../operation-command.ts";
import { countValue, hasNone, withYes } from "../option-values.ts";

const TIMES: Record<ReplayKind, string> = {
  confirmations: "last asked for",
  callbacks: "received",
  events: "made",
};

const ABOUT: Record<ReplayKind, string> = {
  confirmations: "ask the provider again about invoices; live confirmations go first",
  callbacks: "read recorded callbacks again; ask about invoice ids that were missed or lost",
  events: "publish events again, same ids plus the attribute `replay`; live events go first",
};

/** `invoice-relay replay …`: runs any part again from the log, behind live traffic (G9). */
export const replayCommand = (context: CommandContext): Command =>
  new Command("replay")
    .description("repeat confirmations, callbacks or events from the log; try --dry-run first")
    .addCommand(start(context, "confirmations"))
    .addCommand(start(context, "callbacks"))
    .addCommand(start(context, "events"))
    .addCommand(
      operationCommand(context, replayOperations, "showReplay", {
        name: "show",
        ...NONE,
      }),
    )
    .addCommand(
      operationCommand(context, replayOperations, "resumeReplay", {
        name: "resume",
        description: "resume a replay where it stopped",
        ...NONE,
        async run(_, { id, reason }, _own, { db, actor }) {
          const change = { db, actor, id: String(id).toLowerCase(), reason: reason as string | undefined };
          await mustFindReplay(change);
          await requireRelay(db);
          const started = await resumeReplay(change);
          await showReplay(context, db, started);
          return started;
        },
        // It was shown while it ran.
        show: async () => undefined,
      }),
    )
    .addCommand(
      operationCommand(context, replayOperations, "cancelReplay", {
        name: "cancel",
        ...NONE,
        json: (replay) => ({ replay }),
      }),
    );

const NONE = {
  missing: ({ id }: CommandInput) => `There is no replay ${id}.`,
  others: { operation: "listReplays", args: {} },
} as const;

const several = (value: string, before: string[] = []): string[] => [
  ...before,
  ...value.split(",").map((one) => one.trim()),
];

function withFilters(command: Command, kind: ReplayKind): Command {
  const verdicts = kind === "callbacks" ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS;
  command
    .option("--from <time>", `only those ${TIMES[kind]} at this time (UTC) or later`)
    .option("--to <time>", `only those ${TIMES[kind]} before this time (UTC); now by default`)
    .option("--invoice <id>", "only this invoice; may be repeated", several)
    .option("--collection <name>", "only invoices of the collection with this name")
    .addOption(new Option("--verdict <verdict>", "only invoices with this verdict").choices(verdicts))
    .option("--source <name>", "only this source");
  if (kind === "callbacks")
    command.option("--refused", "include callbacks that a signature or address check refused");
  if (kind !== "events") return command;
  command
    .option("--all", "every event, without a filter; asks first")
    .option("--topic <arn>", "to this topic instead of the one in the settings");
  return withYes(command);
}

const start = (context: CommandContext, kind: ReplayKind): Command =>
  operationCommand(context, replayOperations, "startReplay", {
    name: kind,
    description: ABOUT[kind],
    without: ["kind", "filters", "target", "rate"],
    // In the words of the command line, where something is wrong with them.
    options: { invoiceIds: "invoice", topicArn: "topic" },
    extend: (command) =>
      withFilters(command, kind).option(
        "--rate <number>",
        `the most per second; ${DEFAULT_RATES[kind]} by default`,
        countValue,
      ),
    input({ from, to, invoice: invoiceIds, collection, verdict, source, refused, ...given }) {
      const filters = { from, to, invoiceIds, collection, verdict, source, refused };
      const { topic: topicArn, rate, reason, dryRun, all } = given;
      if (kind === "events" && dryRun !== true && all !== true && hasNone(filters))
        throw usageError(
          "Which events? Give a filter such as --from or --invoice, or --all to send every one again. " +
            "--dry-run shows how many there are.",
        );
      const target = topicArn === undefined ? { kind: "topics" } : { kind: "other_topic", topicArn };
      return { kind, filters, target, rate, reason, dryRun };
    },
    async run(_, given, { all, yes }, { db, actor }) {
      const { rate, reason, dryRun, filters, target } = readValue(replayRequest, given);
      const request = { db, kind, filters, target, routes: await routesFor(context, kind) };
      if (dryRun) {
        const plan = await planReplay(request);
        const { matching } = plan;
        const perSecond = rate ?? DEFAULT_RATES[kind];
        const span = spanText(Math.ceil(matching / perSecond) * 1_000);
        const takes = matching === 0 ? "" : `\n\nAt ${countText(perSecond)} a second it takes about ${span}.`;
        context.show({ dryRun: true, ...plan }, () => viewText(context, PLAN, plan) + takes);
        return { replay: null, plan };
      }
      if (all === true) {
        const { matching } = await planReplay(request);
        if (matching > 0)
          await context.confirm(`Send ${matching.toLocaleString("en-US")} events again?`, yes === true);
      }
      await requireRelay(db);
      const started = await startReplay({ ...request, actor, rate, reason });
      if (started !== null) await showReplay(context, db, started);
      else context.show({ replay: null, matching: 0 }, () => `No ${kind} match: there is nothing to replay.`);
      return { replay: started, plan: null };
    },
    // It was shown while it ran.
    show: async () => undefined,
  });

/** Where events go, by the settings. */
async function routesFor(context: CommandContext, kind: ReplayKind): Promise<readonly Route[]> {
  if (kind !== "events") return [];
  const { routesOf } = await import("../../../runtime/sources.ts");
  return routesOf(sourcesOf(context.settings(SERVE_REQUIRES)));
}

/**
 * Checks that a process runs that takes up what is queued.
 * @throws RelayError if none does.
 */
async function requireRelay(db: Database): Promise<void> {
  const processes = await listProcesses(db);
  if (processes.some(({ workers, lives }) => workers && lives)) return;
  throw new RelayError("No relay runs that could do this. Start one; --workers-only does for it.", {
    remedy: { operation: "serve", args: {} },
  });
}

/** Follows the replay until it ends or a stop is requested, and reports the result. */
async function showReplay(context: CommandContext, db: Database, started: Replay): Promise<void> {
  const wish = context.listenForStop();
  const progress = new Progress(context.stderr);
  let waitedFor: string | null = null;
  context.remark(`Replay ${started.id} is queued; the relay runs it (on Lambda within five minutes).`);
  const replay = await followReplay(started, {
    db,
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
  const shown = { replay, refusals };
  context.show(shown, () => viewText(context, REPLAY_SHOWN, shown));
  if (replay.state !== "done" || replay.refused > 0 || leftOut(replay) > 0) context.fault();
}
