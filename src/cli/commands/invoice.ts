import { Command } from "commander";
import type { Database } from "../../database/connect.ts";
import { RelayError } from "../../kit/errors.ts";
import { isUuid } from "../../kit/ids.ts";
import type { CommandContext } from "../command-context.ts";

/** The most invoices of one reference to list. */
const MOST = 20;

export function invoiceCommand(context: CommandContext): Command {
  return new Command("invoice")
    .description("show everything that happened to one invoice, and what happens next")
    .argument("<id>", "the invoice's id (UUID), or the merchant's reference")
    .action(async (given: string) => {
      const { readTimeline } = await import("../../operate/timeline-reading.ts");
      const { meaningOf } = await import("../../operate/timeline-meaning.ts");
      const { renderTimeline } = await import("../render-timeline.ts");
      const timeline = await context.withDatabase(async (db) => {
        const id = isUuid(given) ? given.toLowerCase() : await idOfReference(db, given);
        const found = await readTimeline(db, id);
        if (found !== null) return found;
        throw notFound(
          `Nothing is known about invoice ${id}: no callback named it, and the provider was never asked ` +
            "about it. If it is paid at the provider, reconcile will find it.",
        );
      });
      const now = new Date();
      context.show({ ...timeline, meaning: meaningOf(timeline, now) }, () => renderTimeline(timeline, now));
    });
}

async function idOfReference(db: Database, reference: string): Promise<string> {
  const { findByReference } = await import("../../confirm/invoices/read-invoices.ts");
  const ids = await findByReference(db, reference, MOST);
  const [id] = ids;
  if (id === undefined)
    throw notFound(
      `No confirmed invoice has the reference "${reference}", and an id is a UUID such as ` +
        "3f1c6a52-…. An invoice that was never confirmed can only be found by its id.",
    );
  if (ids.length > 1)
    throw new RelayError(
      `Several invoices have the reference "${reference}". Name one of ` +
        `them:\n${ids.map((one) => `  ${one}`).join("\n")}`,
      { code: "usage" },
    );
  return id;
}

const notFound = (message: string): RelayError => new RelayError(message, { code: "not_found" });
