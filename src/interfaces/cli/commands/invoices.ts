import { Command } from "commander";
import {
  bookOperations,
  callbackOperations,
  clockText,
  explained,
  headlineOf,
  invoiceOperations,
  type Timeline,
  wordsOf,
} from "../../../operations/index.ts";
import { currencyOf } from "../../../platform/config/index.ts";
import { commandLine } from "../../../platform/errors/index.ts";
import { plainText, spanText } from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { withYes } from "../option-values.ts";
import { writeFileUnlessStopped } from "./proof.ts";

export const invoicesCommand = (context: CommandContext): Command =>
  operationCommand(context, invoiceOperations, "listInvoices", {
    name: "invoices",
    json: ({ items }) => ({ invoices: items }),
  });

export const invoiceCommand = (context: CommandContext): Command =>
  operationCommand(context, invoiceOperations, "showInvoice", {
    name: "invoice",
    text: (timeline) => renderTimeline(timeline, currencyOf(context.settings())),
    missing: ({ id }) =>
      `Nothing is known about invoice ${id}: no callback named it, and the provider was never asked ` +
      "about it. If it is paid at the provider, reconcile will find it.",
  });

export function renderTimeline(timeline: Timeline, currency: ReturnType<typeof currencyOf>): string {
  const { entries, furtherCallbacks } = timeline;
  const lines = [`Invoice ${timeline.invoiceId}`, `  ${plainText(headlineOf(timeline, currency))}`, ""];
  let before: Date | null = null;
  for (const entry of entries) {
    const wait = before === null ? "" : `+${spanText(+entry.at - +before)}`;
    lines.push(`  ${clockText(entry.at)}  ${wait.padStart(9)}  ${plainText(wordsOf(entry))}`);
    before = entry.at;
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
    extend: (command) =>
      command.option("--out <file>", "where to write it; evidence-<id>.json when left out"),
    async show({ fileName, parts }, { out = fileName }) {
      const file = String(out);
      const bytes = await writeFileUnlessStopped(context, file, parts);
      context.show({ file, bytes }, () => `Wrote ${file}. It holds personal data.`);
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
    options: { invoiceId: "invoice" },
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
