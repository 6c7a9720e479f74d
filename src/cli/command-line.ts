import type { Remedy } from "../operate/views/view.ts";

/** The command of each operation that a result may lead to, and what of its input stands without a name. */
export const COMMANDS: Readonly<Record<string, readonly [words: string, bare?: string]>> = {
  showInvoice: ["invoice", "id"],
  listInvoices: ["invoices"],
  showCallback: ["callbacks show", "id"],
  showReplay: ["replay show", "id"],
  resumeReplay: ["replay resume", "id"],
  cancelReplay: ["replay cancel", "id"],
  startReplay: ["replay", "kind"],
  showCertificate: ["certificate show", "id"],
  showDead: ["dead show", "id"],
  retryDead: ["dead retry", "ids"],
  showQuarantine: ["quarantine show", "id"],
  releaseQuarantine: ["quarantine release", "ids"],
  resume: ["resume", "work"],
  reconcile: ["reconcile"],
  certify: ["certify"],
};

/** An operation with its input as one types it. */
export function commandLine({ operation, args }: Pick<Remedy, "operation" | "args">): string {
  const [words, bare = ""] = COMMANDS[operation] ?? [operation];
  const { [bare]: first, filters, ...others } = args;
  const named = Object.entries({ ...others, ...(filters as object | undefined) });
  return [
    "invoice-relay",
    words,
    first,
    ...named.map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`)),
  ]
    .flat()
    .filter((part) => part !== undefined)
    .join(" ");
}
