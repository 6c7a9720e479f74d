import type { Command } from "commander";
import { dayOf } from "../../kit/time.ts";
import { invoiceOperations } from "../../operate/operations/invoices.ts";
import { recordOperations } from "../../operate/operations/records.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { withYes } from "../option-values.ts";
import { table } from "../table.ts";

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
    text: renderErased,
  });

function renderErased(erased: ResultOf<"eraseInvoice">): string {
  const { invoiceId, callbacks, snapshots, invoices, events, confirmations, left, dryRun } = erased;
  const counts: [table: string, count: number][] = [
    ["callback", callbacks],
    ["confirmation", confirmations],
    ["invoice", invoices],
    ["invoice_snapshot", snapshots],
    ["event", events],
  ];
  const blanked = counts.filter(([, count]) => count > 0);
  const tables = blanked.map(([table, count]) => `  ${table.padEnd(16)}  ${count}`);
  const lines =
    blanked.length === 0
      ? [`Invoice ${invoiceId} was erased before, and nothing is new since: there was nothing to erase.`]
      : dryRun
        ? [
            `Would be blanked for invoice ${invoiceId}, rows by table:`,
            ...tables,
            "This was a dry run: nothing was changed.",
          ]
        : [
            `Erased for invoice ${invoiceId}, rows by table:`,
            ...tables,
            "Ids, amounts and digests are kept; what comes in about it later is recorded by its digest.",
            "Copies that were sent to SNS or written to a file are not erased.",
          ];
  if (left.length > 0)
    lines.push(
      "These callbacks carry its reference, which another invoice has as well, and name no known invoice.",
      "They were left as they are; the console shows each of them (Callbacks).",
      ...left.map(({ id, receivedAt, source }) => `  ${id}  ${receivedAt.toISOString()}  ${source}`),
    );
  return lines.join("\n");
}

export const retentionCommand = (context: CommandContext): Command =>
  operationCommand(context, recordOperations, "applyRetention", {
    name: "retention",
    text: renderRetention,
    judge: ({ stays, failed }) => (stays !== null || failed.length > 0) && context.fault(),
  });

const COUNTED = 10_000;

/** More than ten thousand are not counted. */
const about = (callbacks: number): string =>
  callbacks < COUNTED ? String(callbacks) : `about ${callbacks.toLocaleString("en-US")}`;

const FAILED: Readonly<Record<string, string>> = {
  old_callbacks: "dropping old callbacks",
  kept_callbacks: "dropping callbacks that were kept",
  unknown_ids: "forgetting ids that stayed unknown",
  personal_data: "blanking personal data",
  history: "dropping old failures of asks and sends",
};

function renderRetention(result: ResultOf<"applyRetention">): string {
  const { dryRun, before, partitions, stragglers, unknownConfirmations, personalData, stays, failed } =
    result;
  const day = dayOf(before);
  const lines: string[] = [];
  if (partitions.length + stragglers + unknownConfirmations === 0)
    lines.push(
      stays === null ? `Nothing to drop: there is no callback from before ${day}.` : "Nothing was dropped.",
    );
  else {
    lines.push(
      `${dryRun ? "Would be dropped" : "Dropped"}: callbacks from before ${day}, except those of ` +
        "invoices that are still open.",
    );
    if (partitions.length > 0)
      lines.push(
        table(partitions, {
          partition: "name",
          callbacks: ({ callbacks }) => about(callbacks),
          "still open, kept": "kept",
        }),
      );
    if (stragglers > 0)
      lines.push(`${stragglers} callbacks kept earlier, whose invoices are no longer open.`);
    if (unknownConfirmations > 0)
      lines.push(`${unknownConfirmations} confirmations of invoices that the provider does not know.`);
    if (dryRun) lines.push("This was a dry run: nothing was changed.");
  }
  if (personalData !== null) {
    const { invoices, more, before: from } = personalData;
    const which = `the personal data of ${invoices.toLocaleString("en-US")} invoices confirmed before`;
    lines.push(
      `${dryRun ? "Would be blanked" : "Blanked"}: ${which} ` +
        `${from.toISOString()}.${more ? " There are more: run it again." : ""}`,
    );
  }
  if (stays?.why === "busy")
    lines.push(
      `The partition ${stays.name} was busy and was kept for now. Run it again, or wait for serve to ` +
        "try again.",
    );
  if (stays?.why === "not_allowed")
    lines.push(
      `The partition ${stays.name} was kept: this database user may not drop it. Grant it the role worker, ` +
        "or run this as the tables' owner.",
    );
  // The month that stays has been spoken of.
  for (const { chore, error } of failed)
    if (chore !== "old_callbacks" || stays === null)
      lines.push(`Failed: ${FAILED[chore] ?? chore}: ${error}`);
  return lines.join("\n");
}
