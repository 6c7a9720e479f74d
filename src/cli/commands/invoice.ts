import { Command } from "commander";
import { RelayError } from "../../kit/errors.ts";
import type { CommandContext } from "../command-context.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `invoice-relay invoice <id>`: all that happened to one invoice, and what happens next. */
export function invoiceCommand(context: CommandContext): Command {
  return new Command("invoice")
    .description("show everything that happened to one invoice, and what happens next")
    .argument("<id>", "the invoice's id (UUID)")
    .action(async (id: string) => {
      if (!UUID.test(id))
        throw new RelayError("That is no invoice id: it should be a UUID such as 3f1c6a52-….", {
          next: "refuse",
          code: "usage",
        });
      const { readTimeline } = await import("../../console/timeline-reading.ts");
      const { meaningOf } = await import("../../console/timeline-meaning.ts");
      const { renderTimeline } = await import("../render-timeline.ts");
      const timeline = await context.withDatabase((db) => readTimeline(db, id.toLowerCase()));
      if (timeline === null)
        throw new RelayError(
          `Nothing is known of invoice ${id.toLowerCase()}: no callback named it, and nobody asked the ` +
            "provider about it. If it is paid at the provider, reconcile finds it.",
          { next: "refuse", code: "not_found" },
        );
      const now = new Date();
      context.show({ ...timeline, meaning: meaningOf(timeline, now) }, () => renderTimeline(timeline, now));
    });
}
