import { numberOf } from "../../kit/text.ts";
import { clock, dayOf } from "../../kit/time.ts";
import type { Erased } from "../operations/invoices.ts";
import type { Kept } from "../operations/records.ts";
import type { Paused } from "../operations/upstreams.ts";
import { count, id, listOf, type Rows, text, time, type View } from "./view.ts";

const WORK = { confirm: "Asking the provider", publish: "Sending to SNS" } as const;

/** @param done "paused", "resumed" */
export const paused = (done: "paused" | "resumed"): View<Paused> => ({
  says: ({ work, changed }) =>
    changed.length > 0 ? `${WORK[work]} is ${done}: ${changed.join(", ")}.` : "Nothing was changed.",
  facts: [
    text(done === "paused" ? "Paused already" : "Not held back", ({ unchanged }) => unchanged.join(", ")),
    text("Not known to any serve", ({ unknown }) => unknown.join(", ")),
  ],
  next: ({ work, changed }) =>
    done === "paused" && changed.length > 0
      ? [{ operation: "resume", args: { work }, why: "Resume it" }]
      : [],
});

const LEFT: Rows<Erased["left"][number]> = {
  one: "callback",
  id: id("Callback", "id", { of: "callback" }),
  columns: [time("Received", "receivedAt"), text("Source", "source")],
};

const counted = ({ callbacks, confirmations, invoices, snapshots, events }: Erased): number =>
  callbacks + confirmations + invoices + snapshots + events;

export const ERASED: View<Erased> = {
  says: (erased) =>
    counted(erased) === 0
      ? "It was erased before, and nothing is new since: there was nothing to erase."
      : erased.dryRun
        ? "This would be blanked. It was a dry run: nothing was changed."
        : "Erased for good. Ids, amounts and digests are kept, and what comes in later is recorded by its digest. " +
          "Copies that were sent to SNS or written to a file are not erased.",
  facts: [
    id("Invoice", "invoiceId", { of: "invoice" }),
    count("Callbacks", "callbacks"),
    count("Confirmations", "confirmations"),
    count("Invoices", "invoices"),
    count("Snapshots", "snapshots"),
    count("Events", "events"),
  ],
  lists: [
    listOf("left", LEFT, "Left as they are: callbacks with its reference, which another invoice has too"),
  ],
};

const MONTHS: Rows<Kept["partitions"][number]> = {
  one: "month",
  columns: [text("Partition", "name"), count("Callbacks", "callbacks"), count("Still open, kept", "kept")],
};

const CHORES: Readonly<Record<string, string>> = {
  old_callbacks: "dropping old callbacks",
  kept_callbacks: "dropping callbacks that were kept",
  unknown_ids: "forgetting ids that stayed unknown",
  personal_data: "blanking personal data",
  history: "dropping old failures of asks and sends",
};

const FAILED: Rows<Kept["failed"][number]> = {
  one: "failure",
  columns: [text("What", ({ chore }) => CHORES[chore] ?? chore), text("Why", "error")],
};

const STAYS = {
  busy: "busy: run it again, or wait for serve to try again",
  not_allowed:
    "this database user may not drop it: grant it the role worker, or run this as the tables' owner",
} as const;

export const RETENTION: View<Kept> = {
  says({ dryRun, partitions, stragglers, unknownConfirmations, personalData }) {
    const some = partitions.length + stragglers + unknownConfirmations + (personalData?.invoices ?? 0) > 0;
    if (!some) return "There is nothing to drop.";
    return dryRun ? "This would be dropped. It was a dry run: nothing was changed." : "Dropped.";
  },
  facts: [
    text("Callbacks from before", ({ before }) => dayOf(new Date(before))),
    count("Callbacks kept until now", ({ stragglers }) => stragglers || null),
    count(
      "Confirmations of ids unknown to the provider",
      ({ unknownConfirmations }) => unknownConfirmations || null,
    ),
    text(
      "Personal data",
      ({ personalData }) =>
        personalData &&
        `of ${numberOf(personalData.invoices, "invoice")} settled before ${clock(new Date(personalData.before))}` +
          `${personalData.more ? "; there are more: run it again" : ""}`,
    ),
    text("Stays", ({ stays }) => stays && `${stays.name}, ${STAYS[stays.why]}`),
  ],
  lists: [
    listOf("partitions", MONTHS, "Months of the log, except callbacks of invoices that are still open"),
    listOf("failed", FAILED, "Failed; the next run tries again"),
  ],
};
