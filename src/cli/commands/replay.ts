import { unlink } from "node:fs/promises";
import { Command, Option } from "commander";
import { DEFAULT_RATES, type ReplayFilters, type ReplayTarget } from "../../replay/replay.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import {
  countValue,
  idValue,
  idValues,
  operator,
  timeValue,
  verdictValue,
  withReason,
} from "../option-values.ts";
import {
  chooseRunner,
  renderPlan,
  renderReplay,
  renderReplays,
  requireRelay,
  showReplay,
} from "../show-replay.ts";

interface Options extends ReplayFilters {
  type?: string;
  invoice?: string[];
  dryRun?: true;
  rate?: number;
  topic?: string;
  toFile?: string;
  here?: true;
  reason?: string;
}

type Kind = "confirmations" | "callbacks" | "events";

const TIMES: Record<Kind, string> = {
  confirmations: "last asked for",
  callbacks: "received",
  events: "made",
};

/** `invoice-relay replay …`: runs any part again from the log, behind live traffic (G9). */
export function replayCommand(context: CommandContext): Command {
  const confirmations = withFilters(context, "confirmations").description(
    "ask the provider again about invoices; live confirmations go first",
  );
  const callbacks = withFilters(context, "callbacks")
    .description("read recorded callbacks again; ask about invoice ids that were missed or lost")
    .option("--refused", "include callbacks that a signature or address check refused");
  const events = withFilters(context, "events")
    .description("publish events again, same ids plus the attribute `replay`; live events go first")
    .option("--type <type>", "only events of this type, such as invoice.paid")
    .addOption(
      new Option("--topic <arn>", "to this topic instead of the one in the settings").conflicts("toFile"),
    )
    .option(
      "--to-file <file>",
      "to a new file instead, one event a line (NDJSON); it contains personal data",
    );
  withHere(events);
  return new Command("replay")
    .description("repeat confirmations, callbacks or events from the log; try --dry-run first")
    .addCommand(confirmations)
    .addCommand(callbacks)
    .addCommand(events)
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(cancelCommand(context));
}

const withHere = (command: Command): Command =>
  command.option(
    "--here",
    "send events from this process, with its AWS credentials; otherwise the relay sends them",
  );

function withFilters(context: CommandContext, kind: Kind): Command {
  return withReason(new Command(kind))
    .option("--from <time>", `only those ${TIMES[kind]} at this time (UTC) or later`, timeValue)
    .option("--to <time>", `only those ${TIMES[kind]} before this time (UTC); now by default`, timeValue)
    .option("--invoice <id>", "only this invoice; may be repeated", idValues)
    .option("--collection <name>", "only invoices of the collection with this name")
    .option("--verdict <verdict>", "only invoices with this verdict", verdictValue(kind === "callbacks"))
    .option("--source <name>", "only this source")
    .option("--rate <number>", `the most per second; ${DEFAULT_RATES[kind]} by default`, countValue)
    .option("--dry-run", "only show how many there are, and the first ones")
    .action((options: Options) => replay(context, kind, options));
}

async function replay(context: CommandContext, kind: Kind, options: Options): Promise<void> {
  const {
    from,
    to,
    invoice: invoiceIds,
    collection,
    verdict,
    source,
    refused,
    type: eventType,
    rate,
  } = options;
  const filters: ReplayFilters = { from, to, invoiceIds, collection, verdict, source, refused, eventType };
  const target = targetOf(options);
  const { startReplay } = await import("../../replay/start-replay.ts");
  await context.withDatabase(async (db) => {
    const { runner, routes } = await chooseRunner(context, db, { kind, target, here: options.here === true });
    const request = { db, kind, filters, target, routes };
    if (options.dryRun === true) {
      const { planReplay } = await import("../../replay/plan-replay.ts");
      const { readAgain } = await import("../../app/replay-runner.ts");
      const plan = await planReplay({ ...request, readAgain });
      return context.show({ dryRun: true, ...plan }, () => renderPlan(plan, rate ?? DEFAULT_RATES[kind]));
    }
    if (runner === null) await requireRelay(db);
    if (target.kind === "file") {
      const { createEventFile } = await import("../../replay/event-file.ts");
      await createEventFile(target.path);
    }
    const started = await startReplay({ ...request, actor: operator(), rate, reason: options.reason });
    if (started === null) {
      if (target.kind === "file") await unlink(target.path);
      return context.show(
        { replay: null, matching: 0 },
        () => `No ${kind} match: there is nothing to replay.`,
      );
    }
    await showReplay(context, { db, runner, started });
  });
}

function targetOf({ topic, toFile }: Options): ReplayTarget {
  if (toFile !== undefined) return { kind: "file", path: toFile };
  return topic === undefined ? { kind: "topics" } : { kind: "other_topic", topicArn: topic };
}

const listCommand = (context: CommandContext): Command =>
  operationCommand(context, "listReplays", { name: "list", text: ({ replays }) => renderReplays(replays) });

const showCommand = (context: CommandContext): Command =>
  operationCommand(context, "showReplay", {
    name: "show",
    missing: ({ id }) => `There is no replay ${id}. List them with: invoice-relay replay list`,
    text: ({ replay, refusals }) => renderReplay(replay, refusals),
  });

function resumeCommand(context: CommandContext): Command {
  return withHere(withReason(new Command("resume")))
    .description("resume a replay where it stopped")
    .argument("<id>", "the replay's id", idValue)
    .action(async (id: string, { reason, here = false }: { reason?: string; here?: boolean }) => {
      const { resumeReplay } = await import("../../replay/start-replay.ts");
      await context.withDatabase(async (db) => {
        const { mustFindReplay } = await import("../../replay/replay-rows.ts");
        const { runner } = await chooseRunner(context, db, { ...(await mustFindReplay({ db, id })), here });
        if (runner === null) await requireRelay(db);
        const started = await resumeReplay({ db, actor: operator(), id, reason });
        await showReplay(context, { db, runner, started });
      });
    });
}

function cancelCommand(context: CommandContext): Command {
  return withReason(new Command("cancel"))
    .description("cancel a replay; what it has done is not undone")
    .argument("<id>", "the replay's id", idValue)
    .action(async (id: string, { reason }: { reason?: string }) => {
      const { cancelReplay } = await import("../../replay/start-replay.ts");
      const replay = await context.withDatabase((db) => cancelReplay({ db, actor: operator(), id, reason }));
      context.show({ replay }, () => renderReplay(replay, []));
    });
}
