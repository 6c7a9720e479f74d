import type { Command } from "commander";
import { asideCommand } from "../aside-command.ts";
import type { Door } from "../door.ts";

/** `invoice-relay quarantine …`: paid invoices that were not published, because their collection is none of COLLECTION_IDS. */
export function quarantineCommand(door: Door): Command {
  return asideCommand(door, {
    list: "quarantine",
    description: "paid invoices of foreign collections, held back; list, show, release, dismiss",
    none: "The quarantine is empty: no paid invoice is held back.",
    what: ["quarantined invoice", "quarantined invoices"],
    act: {
      name: "release",
      description: "ask for them again and publish them if they are still paid",
      done: "released; a running invoice-relay serve asks again and publishes",
      run: async (options) => (await import("../../replay/act-on-aside.ts")).releaseQuarantine(options),
    },
    dismiss: async (options) => (await import("../../replay/act-on-aside.ts")).dismissQuarantine(options),
  });
}
