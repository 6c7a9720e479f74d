import type { AnyRemedy, RemedyInputs } from "../../../../platform/errors/remedy.ts";

type Way = readonly [to: string, title: string];

/** Where one reads first, and does it there. */
const WAYS: Readonly<Partial<Record<keyof RemedyInputs, (args: Record<string, string>) => Way>>> = {
  showInvoice: ({ id }) => [`payments/${id}`, "Open the payment"],
  showReplay: ({ id }) => [`replays/${id}`, "Open the replay"],
  listReplays: () => ["replays", "Open the replays"],
  listDead: () => ["attention/dead", "Open the dead letters"],
  listQuarantine: () => ["attention/quarantine", "Open the quarantine"],
  listAlarms: ({ name }) => [`attention/alarms?name=${name}`, "Open the list"],
  listCertificates: () => ["completeness", "Open Completeness"],
  reconcile: () => ["completeness", "Open Completeness"],
  startReplay: () => ["attention/refused", "Open the refused callbacks"],
};

/** Remedies that run at once, after a question. */
export const ACTS: Readonly<Partial<Record<keyof RemedyInputs, string>>> = {
  resume: "Resume",
  resumeReplay: "Resume it",
  cancelReplay: "Stop it",
  retryDead: "Retry",
  releaseQuarantine: "Release",
};

/** The page of a remedy; null where there is none. */
export const wayOf = ({ operation, args }: AnyRemedy): Way | null =>
  // Of chosen payments it is done from here; refused callbacks are looked at first.
  "invoiceIds" in ((args as { filters?: object }).filters ?? {})
    ? null
    : (WAYS[operation]?.(args as Record<string, string>) ?? null);

/** Whether the console does it, or leads there. */
export const hasWay = (remedy: AnyRemedy): boolean => remedy.operation in ACTS || wayOf(remedy) !== null;
