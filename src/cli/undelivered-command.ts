import { Command, Option } from "commander";
import { RelayError } from "../kit/errors.ts";
import type {
  UndeliveredFilters,
  UndeliveredList,
  UndeliveredSelection,
} from "../operate/list-undelivered.ts";
import type { CommandContext } from "./command-context.ts";
import { operator } from "./operator.ts";
import { countValue, idValue, timeValue, withReason, withYes } from "./option-values.ts";
import { renderDecision, renderEvidence, renderUndelivered } from "./render-undelivered.ts";
import type { CarryOut, UndeliveredWords } from "./undelivered-words.ts";

/**
 * The four commands on undelivered items: `list`, `show`, `retry` or `release`, and `dismiss`.
 */
export function undeliveredCommand(context: CommandContext, words: UndeliveredWords): Command {
  const { list, act, dismiss } = words;
  return new Command(list)
    .description(words.description)
    .addCommand(listCommand(context, words))
    .addCommand(showCommand(context, words))
    .addCommand(actCommand(context, words, act.name, act.description, act.done, act.run))
    .addCommand(
      actCommand(
        context,
        words,
        "dismiss",
        "stop listing them, unless they come back; certificates still name them",
        "dismissed: kept, but no longer listed",
        dismiss,
      ),
    );
}

function withFilters(command: Command, list: UndeliveredList): Command {
  if (list === "dead")
    command.addOption(
      new Option("--kind <kind>", "only confirmations, or only events").choices(["confirmation", "event"]),
    );
  return command
    .option("--source <name>", "only this source")
    .option("--collection <name>", "only invoices of the collection with this name")
    .option("--from <time>", "only those waiting since this time (UTC) or later", timeValue)
    .option("--to <time>", "only those waiting since before this time (UTC)", timeValue);
}

function listCommand(context: CommandContext, words: UndeliveredWords): Command {
  const command = new Command("list").description(`list ${words.what[1]}, the oldest first`);
  return withFilters(command, words.list)
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, ...filters }: UndeliveredFilters & { limit: number }) => {
      const { listUndelivered } = await import("../operate/list-undelivered.ts");
      const found = await context.withDatabase((db) =>
        listUndelivered({ db, list: words.list, selection: { filters }, limit }),
      );
      context.show(found, () => (found.total === 0 ? words.none : renderUndelivered(found, words)));
    });
}

function showCommand(context: CommandContext, words: UndeliveredWords): Command {
  return new Command("show")
    .description("show one with its evidence: last answer, errors, attempts; personal data is masked")
    .argument("<id>", "the id of the invoice or event", idValue)
    .option("--source <name>", "the source, if several know the id")
    .action(async (id: string, { source }: { source?: string }) => {
      const { showUndelivered } = await import("../operate/show-undelivered.ts");
      const items = await context.withDatabase((db) => showUndelivered({ db, list: words.list, id, source }));
      if (items.length === 0) throw notThere([id], words);
      context.show({ items }, () => items.map(renderEvidence).join("\n\n"));
    });
}

function actCommand(
  context: CommandContext,
  words: UndeliveredWords,
  name: string,
  description: string,
  done: string,
  run: CarryOut,
): Command {
  const command = new Command(name)
    .description(description)
    .argument("[ids...]", "ids of invoices or events")
    .option("--all", "everything that the filters match");
  return withYes(withReason(withFilters(command, words.list)))
    .option("--dry-run", "only show how many there are, and the first ones")
    .action(async (ids: string[], { reason, yes, dryRun, ...chosen }: ActOptions) => {
      const selection = selectionOf(ids.map(idValue), chosen);
      const result = await context.withDatabase(async (db) => {
        const decision = { db, actor: operator(), selection, reason };
        // Ids are chosen on purpose; a filter may match more than expected, so it is confirmed first.
        const first = await run({ ...decision, dryRun: dryRun === true || !("ids" in selection) });
        if ("ids" in selection || dryRun === true || first.count === 0)
          return { ...first, dryRun: dryRun === true };
        const what = first.count === 1 ? words.what[0] : words.what[1];
        const many = `${first.count.toLocaleString("en-US")} ${what}`;
        await context.confirm(`${name[0]?.toUpperCase()}${name.slice(1)} ${many}?`, yes);
        return await run(decision);
      });
      if (result.count === 0 && ids.length > 0) throw notThere(ids, words);
      context.show(result, () => renderDecision(result, words, done));
    });
}

interface ActOptions extends UndeliveredFilters {
  all?: true;
  reason?: string;
  yes?: true;
  dryRun?: true;
}

function selectionOf(
  ids: readonly string[],
  { all, ...filters }: UndeliveredFilters & { all?: true },
): UndeliveredSelection {
  const filtered = Object.keys(filters).length > 0;
  const { source, ...others } = filters;
  if (ids.length > 0 && (all === true || Object.keys(others).length > 0))
    throw new RelayError("Use either ids (with --source) or filters, not both.", { code: "usage" });
  if (ids.length > 0) return { ids, source };
  if (all !== true && !filtered)
    throw new RelayError("Which ones? Give ids, a filter such as --source, or --all.", { code: "usage" });
  return { filters };
}

function notThere(ids: readonly string[], { list, what }: UndeliveredWords): RelayError {
  const none = ids.length === 1 ? `${ids[0]} is not a ${what[0]}` : `None of these ids is a ${what[0]}`;
  return new RelayError(`${none}. List them with: invoice-relay ${list} list`, { code: "not_found" });
}
