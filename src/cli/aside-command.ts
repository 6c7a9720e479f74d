import { Command, Option } from "commander";
import { RelayError } from "../kit/errors.ts";
import type { AsideFilters, AsideList, AsideSelection } from "../replay/set-aside.ts";
import type { AsideRun, AsideWords } from "./aside-words.ts";
import type { Door } from "./door.ts";
import { operator } from "./operator.ts";
import { countValue, idValue, timeValue } from "./option-values.ts";
import { renderAside, renderAsideResult, renderEvidence } from "./render-aside.ts";

/** The four commands of what is set aside: `list`, `show`, the one that brings it back, and `dismiss`. */
export function asideCommand(door: Door, words: AsideWords): Command {
  const { list, act, dismiss } = words;
  return new Command(list)
    .description(words.description)
    .addCommand(listCommand(door, words))
    .addCommand(showCommand(door, words))
    .addCommand(actCommand(door, words, act.name, act.description, act.done, act.run))
    .addCommand(
      actCommand(
        door,
        words,
        "dismiss",
        "list them no more, unless they come back; certificates still name them",
        "dismissed: kept, and listed no more",
        dismiss,
      ),
    );
}

function withFilters(command: Command, list: AsideList): Command {
  if (list === "dead")
    command.addOption(
      new Option("--kind <kind>", "only questions, or only events").choices(["question", "event"]),
    );
  return command
    .option("--source <name>", "only this source")
    .option("--collection <name>", "only invoices of the collection with this name")
    .option("--from <time>", "only those aside since this time (UTC) or later", timeValue)
    .option("--to <time>", "only those aside since before this time (UTC)", timeValue);
}

function listCommand(door: Door, words: AsideWords): Command {
  const command = new Command("list").description(`list ${words.what[1]}, the oldest first`);
  return withFilters(command, words.list)
    .option("--limit <number>", "the most to list", countValue, 50)
    .action(async ({ limit, ...filters }: AsideFilters & { limit: number }) => {
      const { listAside } = await import("../replay/set-aside.ts");
      const found = await door.withDatabase((db) =>
        listAside({ db, list: words.list, selection: { filters }, limit }),
      );
      door.show(found, () => (found.total === 0 ? words.none : renderAside(found, words)));
    });
}

function showCommand(door: Door, words: AsideWords): Command {
  return new Command("show")
    .description("show one with its evidence: last answer, errors, attempts; personal data is masked")
    .argument("<id>", "the id of the invoice or event", idValue)
    .action(async (id: string) => {
      const { showAside } = await import("../replay/show-aside.ts");
      const items = await door.withDatabase((db) => showAside({ db, list: words.list, id }));
      if (items.length === 0) throw notThere(id, words);
      door.show({ items }, () => items.map(renderEvidence).join("\n\n"));
    });
}

function actCommand(
  door: Door,
  words: AsideWords,
  name: string,
  description: string,
  done: string,
  run: AsideRun,
): Command {
  const command = new Command(name)
    .description(description)
    .argument("[ids...]", "ids of invoices or events")
    .option("--all", "all that the filters match");
  return withFilters(command, words.list)
    .option("--dry-run", "only say how many there are, and show the first ones")
    .action(async (ids: string[], options: AsideFilters & { all?: true; dryRun?: true }) => {
      const selection = selectionOf(ids.map(idValue), options);
      const result = await door.withDatabase((db) =>
        run({ db, actor: operator(), selection, dryRun: options.dryRun }),
      );
      const [only] = ids;
      if (result.count === 0 && ids.length === 1 && only !== undefined) throw notThere(only, words);
      door.show(result, () => renderAsideResult(result, words, done));
    });
}

function selectionOf(
  ids: readonly string[],
  { all, dryRun: _, ...filters }: AsideFilters & { all?: true; dryRun?: true },
): AsideSelection {
  const filtered = Object.keys(filters).length > 0;
  if (ids.length > 0 && (all === true || filtered))
    throw new RelayError("Name ids, or choose by filter: not both.", { next: "refuse", code: "usage" });
  if (ids.length > 0) return { ids };
  if (all !== true && !filtered)
    throw new RelayError("Which ones? Name their ids, give a filter such as --source, or say --all.", {
      next: "refuse",
      code: "usage",
    });
  return { filters };
}

const notThere = (id: string, { list, what }: AsideWords): RelayError =>
  new RelayError(`${id} is no ${what[0]}. List them with: invoice-relay ${list} list`, {
    next: "refuse",
    code: "not_found",
  });
