import type { Erased, Kept, Paused } from "../list/results.ts";
import type { View } from "./view.ts";

const WORK = { confirm: "Asking the provider", publish: "Sending to SNS" } as const;

const says = ({ work, changed }: Paused, done: string) =>
  changed.length > 0 ? `${WORK[work]} is ${done}: ${changed.join(", ")}.` : "Nothing was changed.";

export const PAUSED: View<Paused> = {
  says: (paused) => says(paused, "paused"),
  next: ({ work, changed }) =>
    changed.length > 0 ? [{ operation: "resume", args: { work }, why: "Resume it" }] : [],
};

export const RESUMED: View<Paused> = { says: (resumed) => says(resumed, "resumed") };

export const ERASED: View<Erased> = {
  says({ dryRun, ...erased }) {
    const { callbacks, confirmations, invoices, snapshots, events } = erased;
    if (callbacks + confirmations + invoices + snapshots + events === 0)
      return "It was erased before, and no new data has come since.";
    if (dryRun) return "This would be blanked. It was a dry run: nothing was changed.";
    return (
      "Erased for good. Ids, amounts and digests are kept, and later callbacks are recorded by their digest. " +
      "Copies that were sent to SNS or written to a file are not erased."
    );
  },
};

export const RETENTION: View<Kept> = {
  says({ partitions, stragglers, unknownConfirmations, personalData, failed }) {
    if (failed.length > 0) return `${failed.map(({ error }) => error).join("; ")}. The next run tries again.`;
    const some = partitions.length + stragglers + unknownConfirmations + (personalData?.invoices ?? 0) > 0;
    return some ? "Dropped." : "There is nothing to drop.";
  },
};
