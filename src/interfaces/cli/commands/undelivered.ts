import { Command } from "commander";
import { undeliveredOperations } from "../../../operations/index.ts";
import { notFoundError, type RelayError, usageError } from "../../../platform/errors/index.ts";
import { numberOf } from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand } from "../operation-command.ts";
import { withYes } from "../option-values.ts";

interface Group {
  name: "dead" | "quarantine";
  description: string;
  what: readonly [one: string, many: string];
  list: "listDead" | "listQuarantine";
  /** The verb that brings an item back, and its operation. */
  act: readonly [verb: "retry" | "release", id: "retryDead" | "releaseQuarantine"];
  dismiss: "dismissDead" | "dismissQuarantine";
}

/** Confirmations and events that were given up. */
export const deadCommand = (context: CommandContext): Command =>
  groupCommand(context, {
    name: "dead",
    description: "dead letters: confirmations and events that were given up; list, retry, dismiss",
    what: ["dead letter", "dead letters"],
    list: "listDead",
    act: ["retry", "retryDead"],
    dismiss: "dismissDead",
  });

/** Paid invoices that were not published, because their collection is not in COLLECTION_IDS. */
export const quarantineCommand = (context: CommandContext): Command =>
  groupCommand(context, {
    name: "quarantine",
    description: "paid invoices of other collections, not published; list, release, dismiss",
    what: ["quarantined invoice", "quarantined invoices"],
    list: "listQuarantine",
    act: ["release", "releaseQuarantine"],
    dismiss: "dismissQuarantine",
  });

function groupCommand(context: CommandContext, group: Group): Command {
  const [verb, act] = group.act;
  const list = operationCommand(context, undeliveredOperations, group.list, {
    name: "list",
    without: group.name === "dead" ? [] : ["kind"],
  });
  return new Command(group.name)
    .description(group.description)
    .addCommand(list)
    .addCommand(decide(context, group, act, verb))
    .addCommand(decide(context, group, group.dismiss, "dismiss"));
}

function decide(
  context: CommandContext,
  group: Group,
  id: "retryDead" | "dismissDead" | "releaseQuarantine" | "dismissQuarantine",
  name: string,
): Command {
  return operationCommand(context, undeliveredOperations, id, {
    name,
    without: ["ids", "source", "filters"],
    extend(command) {
      if (group.name === "dead") command.option("--kind <kind>", "only confirmations, or only events");
      return withYes(
        command
          .argument("[ids...]", "ids of invoices or events")
          .option("--all", "everything that the filters match")
          .option("--source <name>", "only this source")
          .option("--collection <name>", "only invoices of the collection with this name"),
      );
    },
    input: ({ reason, dryRun, yes: _, ...chosen }, ids) => ({ ...selectionOf(ids, chosen), reason, dryRun }),
    async run(call, given, { yes }) {
      const { ids, dryRun } = given;
      // Ids are chosen on purpose; a filter may match more than expected, so it is confirmed first.
      const first = await call({ ...given, dryRun: dryRun === true || ids === undefined });
      if (ids !== undefined && first.count === 0) throw notThere(ids as string[], group);
      if (ids !== undefined || dryRun === true || first.count === 0)
        return { ...first, dryRun: dryRun === true };
      const many = numberOf(first.count, ...group.what);
      await context.confirm(`${name[0]?.toUpperCase()}${name.slice(1)} ${many}?`, yes === true);
      return await call(given);
    },
  });
}

function selectionOf(ids: readonly string[], { all, ...filters }: CommandInput): CommandInput {
  const { source, ...others } = filters;
  if (ids.length > 0 && (all === true || Object.keys(others).length > 0))
    throw usageError("Use either ids (with --source) or filters, not both.");
  if (ids.length > 0) return { ids, source };
  if (all !== true && Object.keys(filters).length === 0)
    throw usageError("Which ones? Give ids, a filter such as --source, or --all.");
  return { filters };
}

function notThere(ids: readonly string[], { list, what }: Group): RelayError {
  const none = ids.length === 1 ? `${ids[0]} is not a ${what[0]}` : `These ids include no ${what[0]}`;
  return notFoundError(`${none}.`, { operation: list, args: {} });
}
