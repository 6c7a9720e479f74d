import { Command, Option } from "commander";
import { VERDICTS } from "../../confirm/queue/confirmation.ts";
import { usageError } from "../../kit/errors.ts";
import { readValue } from "../../operate/operations/bad-input.ts";
import { replayRequest } from "../../operate/operations/replays.ts";
import { OWN_VERDICTS } from "../../receive/log/own-verdict.ts";
import { planReplay } from "../../replay/plan-replay.ts";
import { DEFAULT_RATES, type ReplayKind } from "../../replay/replay.ts";
import { mustFindReplay } from "../../replay/replay-rows.ts";
import { resumeReplay, startReplay } from "../../replay/start-replay.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand } from "../operation-command.ts";
import { countValue, hasNone, withYes } from "../option-values.ts";
import {
  chooseRunner,
  renderPlan,
  renderReplay,
  renderReplays,
  requireRelay,
  showReplay,
} from "../show-replay.ts";

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
      operationCommand(context, "listReplays", {
        name: "list",
        text: ({ replays }) => renderReplays(replays),
      }),
    )
    .addCommand(
      operationCommand(context, "showReplay", {
        name: "show",
        missing,
        text: ({ replay, refusals }) => renderReplay(replay, refusals),
      }),
    )
    .addCommand(
      operationCommand(context, "resumeReplay", {
        name: "resume",
        description: "resume a replay where it stopped",
        extend: withHere,
        missing,
        async run(_, { id, reason }, { here = false }, { db, actor }) {
          const change = { db, actor, id: String(id).toLowerCase(), reason: reason as string | undefined };
          const { kind } = await mustFindReplay(change);
          const { runner } = await chooseRunner(context, db, { kind, here: here === true });
          if (runner === null) await requireRelay(db);
          const started = await resumeReplay(change);
          await showReplay(context, { db, runner, started });
          return started;
        },
        // It was shown while it ran.
        show: async () => undefined,
      }),
    )
    .addCommand(
      operationCommand(context, "cancelReplay", {
        name: "cancel",
        missing,
        json: (replay) => ({ replay }),
        text: (replay) => renderReplay(replay, []),
      }),
    );

const missing = ({ id }: CommandInput): string =>
  `There is no replay ${id}. List them with: invoice-relay replay list`;

const withHere = (command: Command): Command =>
  command.option(
    "--here",
    "send events from this process, with its AWS credentials; otherwise the relay sends them",
  );

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
    .option("--type <type>", "only events of this type, such as invoice.paid")
    .option("--all", "every event, without a filter; asks first")
    .option("--topic <arn>", "to this topic instead of the one in the settings");
  return withHere(withYes(command));
}

const start = (context: CommandContext, kind: ReplayKind): Command =>
  operationCommand(context, "startReplay", {
    name: kind,
    description: ABOUT[kind],
    without: ["kind", "filters", "target", "rate"],
    // In the words of the command line, where something is wrong with them.
    options: { invoiceIds: "invoice <id>", eventType: "type <type>", topicArn: "topic <arn>" },
    extend: (command) =>
      withFilters(command, kind).option(
        "--rate <number>",
        `the most per second; ${DEFAULT_RATES[kind]} by default`,
        countValue,
      ),
    input({
      from,
      to,
      invoice: invoiceIds,
      collection,
      verdict,
      source,
      refused,
      type: eventType,
      ...given
    }) {
      const filters = { from, to, invoiceIds, collection, verdict, source, refused, eventType };
      const { topic: topicArn, rate, reason, dryRun, all } = given;
      if (kind === "events" && dryRun !== true && all !== true && hasNone(filters))
        throw usageError(
          "Which events? Give a filter such as --from or --invoice, or --all to send every one again. " +
            "--dry-run shows how many there are.",
        );
      const target = topicArn === undefined ? { kind: "topics" } : { kind: "other_topic", topicArn };
      return { kind, filters, target, rate, reason, dryRun };
    },
    async run(_, given, { here, all, yes }, { db, actor }) {
      const { rate, reason, dryRun, filters, target } = readValue(replayRequest, given);
      const { runner, routes } = await chooseRunner(context, db, { kind, here: here === true });
      const request = { db, kind, filters, target, routes };
      if (dryRun) {
        const plan = await planReplay(request);
        context.show({ dryRun: true, ...plan }, () => renderPlan(plan, rate ?? DEFAULT_RATES[kind]));
        return { replay: null, plan };
      }
      if (all === true) {
        const { matching } = await planReplay(request);
        if (matching > 0)
          await context.confirm(`Send ${matching.toLocaleString("en-US")} events again?`, yes === true);
      }
      if (runner === null) await requireRelay(db);
      const started = await startReplay({ ...request, actor, rate, reason });
      if (started !== null) await showReplay(context, { db, runner, started });
      else context.show({ replay: null, matching: 0 }, () => `No ${kind} match: there is nothing to replay.`);
      return { replay: started, plan: null };
    },
    // It was shown while it ran.
    show: async () => undefined,
  });
