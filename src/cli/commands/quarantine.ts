import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { undeliveredCommand } from "../undelivered-command.ts";

/**
 * `invoice-relay quarantine …`: paid invoices that were not published, because their collection is not in
 * COLLECTION_IDS.
 */
export function quarantineCommand(context: CommandContext): Command {
  return undeliveredCommand(context, {
    list: "quarantine",
    description: "paid invoices of other collections, not published; list, show, release, dismiss",
    none: "The quarantine is empty: no paid invoice is waiting there.",
    what: ["quarantined invoice", "quarantined invoices"],
    act: {
      name: "release",
      description: "ask the provider again and publish them if they are still paid",
      done: "released; a running invoice-relay serve asks the provider again and publishes them",
      run: async (options) =>
        (await import("../../operate/decide-undelivered.ts")).releaseQuarantine(options),
    },
    dismiss: async (options) =>
      (await import("../../operate/decide-undelivered.ts")).dismissQuarantine(options),
  });
}
