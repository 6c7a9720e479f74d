import { Command } from "commander";
import { z } from "zod";
import {
  bookOperations,
  callbackOperations,
  clockText,
  explained,
  foldTries,
  headlineOf,
  INVOICES_FOUND,
  invoiceOperations,
  name,
  readTimeline,
  readValue,
  searchInvoices,
  type Timeline,
  wordsOf,
} from "../../../operations/index.ts";
import { currencyOf } from "../../../platform/config/index.ts";
import type { Database, PagePosition } from "../../../platform/database/index.ts";
import { commandLine, notFoundError, usageError } from "../../../platform/errors/index.ts";
import { countText, dayOf, isUuid, plainText, shortText, spanText } from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, viewText } from "../operation-command.ts";
import { withYes } from "../option-values.ts";
import { writeFileUnlessStopped } from "./proof.ts";

export const invoicesCommand = (context: CommandContext): Command =>
  operationCommand(context, invoiceOperations, "searchInvoices", {
    name: "invoices",
    description:
      "list payments, the newest first; or find them by an id or its beginning, a reference, " +
      "e-mail, payer's name, amount or day",
    without: ["text"],
    extend: (command) =>
      command.argument("[text...]", "data of a payment, such as af308019 or NGN 40,645.00"),
    input(given, words) {
      if (words.length === 0) return given;
      return { ...given, ...readValue(z.object({ text: name(1_000) }), { text: words.join(" ") }) };
    },
    json: ({ items, searched, others, waiting }, { text }) => ({
      invoices: items,
      ...(text === undefined ? {} : { searched, others }),
      waiting,
    }),
  });

const CHOICES = 20;

export function invoiceCommand(context: CommandContext): Command {
  const command = new Command("invoice")
    .description("show everything that happened to one invoice, and what happens next")
    .argument(
      "<id...>",
      "its id or the beginning of it, the merchant's reference, or any search text of invoices",
    );
  return command.action(async () => {
    const { text } = readValue(z.object({ text: name(1_000) }), { text: command.args.join(" ") });
    const timeline = await context.withDatabase(async (db) => {
      const id = isUuid(text) ? text.toLowerCase() : await idMeant(context, db, text);
      const found = await readTimeline(db, id);
      if (found !== null) return found;
      throw notFoundError(
        `Nothing is known about invoice ${id}: no callback named it, and the provider was never asked ` +
          "about it. If it is paid at the provider, reconcile will find it.",
      );
    });
    context.show(explained(timeline), () => renderTimeline(timeline, currencyOf(context.settings())));
  });
}

/** The one invoice that a text finds, as the search box would. @throws RelayError unless it is one. */
async function idMeant(context: CommandContext, db: Database, text: string): Promise<string> {
  const today = dayOf(new Date());
  for (let from: PagePosition | null = null; ; ) {
    const found: Awaited<ReturnType<typeof searchInvoices>> = await searchInvoices(
      db,
      { text, today },
      { from, limit: CHOICES },
    );
    const ids = [...new Set(found.items.map(({ invoiceId }) => invoiceId))];
    const [id] = ids;
    if (id !== undefined && ids.length === 1 && found.next === null) return id;
    if (ids.length > 0)
      throw usageError(
        `${found.next === null ? "Several" : `More than ${CHOICES - 1}`} invoices match "${shortText(text)}". ` +
          `Name one of them:\n${ids.map((one) => `  ${one}`).join("\n")}`,
      );
    from = found.next;
    if (from === null) throw notFoundError(viewText(context, INVOICES_FOUND, found, { text }));
  }
}

export function renderTimeline(timeline: Timeline, currency: ReturnType<typeof currencyOf>): string {
  const { entries, furtherCallbacks } = timeline;
  const lines = [`Invoice ${timeline.invoiceId}`, `  ${plainText(headlineOf(timeline, currency))}`, ""];
  let before: Date | null = null;
  for (const { entry, times, lastAt } of foldTries(entries)) {
    const wait = before === null ? "" : `+${spanText(+entry.at - +before)}`;
    const often = times > 1 ? ` (${countText(times)} times, the last noted at ${clockText(lastAt)})` : "";
    lines.push(`  ${clockText(entry.at)}  ${wait.padStart(9)}  ${plainText(wordsOf(entry))}${often}`);
    before = lastAt;
  }
  if (furtherCallbacks > 0) lines.push(`  … and ${furtherCallbacks.toLocaleString("en-US")} later callbacks`);
  const { meaning, next } = explained(timeline);
  lines.push("", ...meaning.map((line) => plainText(line)));
  if (next.length > 0) lines.push("", ...next.map((remedy) => `${remedy.why}: ${commandLine(remedy)}`));
  return lines.join("\n");
}

export const evidenceCommand = (context: CommandContext): Command =>
  operationCommand(context, bookOperations, "exportEvidence", {
    name: "evidence",
    description: "write all evidence of a payment into a ZIP: callbacks, answers, event, story",
    extend: (command) => command.option("--out <file>", "where to write it; evidence-<id>.zip when left out"),
    async show({ fileName, parts, files }, { out = fileName }) {
      const file = String(out);
      const bytes = await writeFileUnlessStopped(context, file, parts);
      context.show(
        { file, bytes, files },
        () => `Wrote ${file}: ${files} files, the story (story.html) and a README. It holds personal data.`,
      );
    },
    missing: ({ id }) => `Nothing is known about invoice ${id}: there is nothing to show.`,
  });

/** The log of callbacks, and what became of each. */
export const callbacksCommand = (context: CommandContext): Command =>
  new Command("callbacks")
    .description("callbacks received, and their results: list, show")
    .addCommand(list(context))
    .addCommand(show(context));

const list = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "listCallbacks", {
    name: "list",
    options: { invoiceId: "invoice", remoteAddress: "sender" },
    extend: (command) =>
      command.option("--refused", "only those that failed a check, the same as --verdict refused"),
    input: ({ refused, ...given }) => (refused === true ? { ...given, verdict: "refused" } : given),
    json: ({ items }) => ({ callbacks: items }),
  });

const show = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "showCallback", {
    name: "show",
    description: "show one whole callback and how each id was found",
    missing: ({ id }) => `No callback has the id ${String(id)}.`,
    others: { operation: "listCallbacks", args: {} },
  });

export const eraseCommand = (context: CommandContext): Command =>
  operationCommand(context, invoiceOperations, "eraseInvoice", {
    name: "erase",
    extend: withYes,
    async run(call, given, { yes }) {
      if (given.dryRun === true) return await call(given);
      await call({ ...given, dryRun: true });
      await context.confirm(
        `Blank the personal data of invoice ${String(given.id).toLowerCase()} for good? This cannot be undone.`,
        yes === true,
      );
      return await call(given);
    },
    missing: ({ id }) => `Nothing is known about invoice ${id}: there was nothing to erase.`,
  });
