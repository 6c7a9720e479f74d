import type { AnyRemedy, RemedyInputs } from "../../../../platform/errors/remedy.ts";

/** Alarms of these names have a list of their own. */
const LISTS: Readonly<Record<string, string>> = {
  callback_refused: "refused",
  invoice_anomaly: "anomalies",
};

type Way = readonly [to: string, title: string];

/** Where one reads first, and does it there. */
export const WAYS: Readonly<Partial<Record<keyof RemedyInputs, (args: Record<string, string>) => Way>>> = {
  showInvoice: ({ id }) => [`payments/${id}`, "Open the payment"],
  showReplay: ({ id }) => [`replays/${id}`, "Open the replay"],
  listReplays: () => ["replays", "Open the replays"],
  showDead: ({ id }) => [`attention/dead/${id}`, "Open the dead letter"],
  listDead: () => ["attention/dead", "Open the dead letters"],
  showQuarantine: ({ id }) => [`attention/quarantine/${id}`, "Open it in quarantine"],
  listQuarantine: () => ["attention/quarantine", "Open the quarantine"],
  listAlarms: ({ name = "" }) => [`attention/${LISTS[name] ?? `alarms?name=${name}`}`, "Open the list"],
  listCertificates: () => ["completeness", "Open Completeness"],
  reconcile: () => ["completeness", "Open Completeness"],
  // A test is sent from there.
  testAlarms: () => ["settings", "Open Settings"],
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

/** Whether the console does it, or leads there. */
export const hasWay = ({ operation }: AnyRemedy): boolean => operation in WAYS || operation in ACTS;
