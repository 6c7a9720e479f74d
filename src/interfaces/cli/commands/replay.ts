import { Command, Option } from "commander";
import { leftOut, PLAN, REPLAY_SHOWN, replayOperations } from "../../../operations/index.ts";
import { VERDICTS } from "../../../pipeline/confirm/index.ts";
import { OWN_VERDICTS } from "../../../pipeline/receive/index.ts";
import {
  DEFAULT_RATES,
  followReplay,
  listRefusals,
  type Replay,
  type ReplayKind,
} from "../../../pipeline/replay/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { RelayError, usageError } from "../../../platform/errors/index.ts";
import { listProcesses } from "../../../platform/worker/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, viewText } from "../operation-command.ts";
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

/** `invoice-relay replay …`: the running relay repeats any part of the log, behind live traffic (G9). */
export const replayCommand = (context: CommandContext): Command =>
  new Command("replay")
    .description("repeat confirmations, callbacks or events from the log; try --dry-run first")
    .addCommand(start(context, "confirmations"))
    .addCommand(start(context, "callbacks"))
    .addCommand(start(context, "events"))
    .addCommand(operationCommand(context, replayOperations, "listReplays", { name: "list" }))
    .addCommand(operationCommand(context, replayOperations, "showReplay", { name: "show", ...NONE }))
    .addCommand(
      operationCommand(context, replayOperations, "resumeReplay", {
        name: "resume",
        ...NONE,
        async run(call, given, _own, { db }) {
          await requireRelay(db);
          return await followed(context, db, await call(given));
        },
        show: (replay) => showEnded(context, replay),
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
    .option("--source <name>", "only this source")
    .option("--rate <number>", `the most per second; ${DEFAULT_RATES[kind]} by default`, countValue);
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
    extend: (command) => withFilters(command, kind),
    input({ invoice: invoiceIds, ...given }) {
      const { from, to, collection, verdict, source, refused } = given;
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
    async run(call, given, { all, yes }, { db }) {
      if (given.dryRun === true) return await call(given);
      if (all === true) {
        const { plan } = await call({ ...given, dryRun: true });
        await context.confirm(`Send ${plan?.matching} events again?`, yes === true);
      }
      await requireRelay(db);
      const { replay } = await call(given);
      return { replay: replay && (await followed(context, db, replay)), plan: null };
    },
    async show({ replay, plan }) {
      if (plan !== null) context.show({ dryRun: true, ...plan }, () => viewText(context, PLAN, plan));
      else if (replay !== null) await showEnded(context, replay);
      else context.show({ replay: null, matching: 0 }, () => `No ${kind} match: there is nothing to replay.`);
    },
  });

/** @throws RelayError if no process runs that takes up what is queued. */
async function requireRelay(db: Database): Promise<void> {
  const processes = await listProcesses(db);
  if (processes.some(({ workers, lives }) => workers && lives)) return;
  throw new RelayError("No relay runs that could do it. Start one; --workers-only does for it.", {
    remedy: { operation: "serve", args: {} },
  });
}

/** Waits until the relay has ended it, or a stop is requested. */
async function followed(context: CommandContext, db: Database, started: Replay): Promise<Replay> {
  const wish = context.listenForStop();
  context.remark(`Replay ${started.id} is queued; the relay does it (on Lambda within five minutes).`);
  const replay = await followReplay(db, started, wish.signal);
  wish.release();
  return replay;
}

async function showEnded(context: CommandContext, replay: Replay): Promise<void> {
  const refusals = await context.withDatabase((db) => listRefusals(db, replay.id));
  const shown = { replay, refusals };
  context.show(shown, () => viewText(context, REPLAY_SHOWN, shown));
  if (replay.state !== "done" || replay.refused > 0 || leftOut(replay) > 0) context.fault();
}
