type None = Record<string, never>;

/** The input of each operation that a remedy may lead to; a test compares it with the operations' own inputs. */
export interface RemedyInputs {
  showInvoice: { id: string };
  showCallback: { id: string };
  listCallbacks: None;
  showReplay: { id: string };
  listReplays: None;
  resumeReplay: { id: string };
  cancelReplay: { id: string };
  startReplay:
    | { kind: "confirmations"; filters: { invoiceIds: string[] } }
    | { kind: "callbacks"; filters: { refused: true } };
  showCertificate: { id: string };
  listCertificates: None;
  listDead: None;
  retryDead: { ids: string[]; source?: string };
  listQuarantine: None;
  releaseQuarantine: { ids: string[]; source?: string };
  listAlarms: { name: string };
  testAlarms: None;
  resume: { work: "confirm" | "publish"; source?: string };
  /** The last days when left out: at a terminal, and where the console asks for them. */
  reconcile: None;
  /** At a terminal only. */
  doctor: None;
  migrate: None;
  serve: None;
}

/** A remedy as data: each interface has its own way to it. */
export type Remedy = {
  [Operation in keyof RemedyInputs]: { operation: Operation; args: RemedyInputs[Operation] };
}[keyof RemedyInputs];

/** A remedy that comes from a result, whose type was checked where it was made. */
export type AnyRemedy = { operation: keyof RemedyInputs; args: object };

/** The command of each, and what of its input stands without a name. */
const COMMANDS: Readonly<Record<keyof RemedyInputs, readonly [words: string, bare?: string]>> = {
  showInvoice: ["invoice", "id"],
  showCallback: ["callbacks show", "id"],
  listCallbacks: ["callbacks list"],
  showReplay: ["replay show", "id"],
  listReplays: ["replay list"],
  resumeReplay: ["replay resume", "id"],
  cancelReplay: ["replay cancel", "id"],
  startReplay: ["replay", "kind"],
  showCertificate: ["certificate show", "id"],
  listCertificates: ["certificate list"],
  listDead: ["dead list"],
  retryDead: ["dead retry", "ids"],
  listQuarantine: ["quarantine list"],
  releaseQuarantine: ["quarantine release", "ids"],
  listAlarms: ["alarms"],
  testAlarms: ["alarms test"],
  resume: ["resume", "work"],
  reconcile: ["reconcile"],
  doctor: ["doctor"],
  migrate: ["migrate"],
  serve: ["serve"],
};

export const REMEDY_OPERATIONS = Object.keys(COMMANDS) as (keyof RemedyInputs)[];

/** Options that are not called as their field. */
const OPTIONS: Readonly<Record<string, string>> = { invoiceIds: "invoice" };

/** The command that does it, as one types it. */
export function commandLine({ operation, args }: AnyRemedy): string {
  const [words, bare = ""] = COMMANDS[operation];
  const { [bare]: first, filters, ...others } = args as Record<string, unknown>;
  const named = Object.entries({ ...others, ...(filters as object | undefined) });
  return [
    "invoice-relay",
    words,
    first,
    ...named.map(([name, value]) => {
      const option = `--${OPTIONS[name] ?? name}`;
      return value === true ? option : `${option} ${value}`;
    }),
  ]
    .flat()
    .filter((part) => part !== undefined)
    .join(" ");
}

/** A sentence that says what to do, and the command that does it, for a terminal. */
export const withCommand = (sentence: string, remedy: AnyRemedy | null | undefined): string =>
  remedy == null ? sentence : `${sentence} Run: ${commandLine(remedy)}`;
