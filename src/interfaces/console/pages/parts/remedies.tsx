import type { AnyRemedy, RemedyInputs } from "../../../../platform/errors/remedy.ts";
import { Link } from "../kit/router.tsx";
import { ActButton } from "./acts.tsx";
import { perform } from "./operations.ts";

/** Alarms of these names have a list of their own. */
const LISTS: Readonly<Record<string, string>> = {
  callback_refused: "refused",
  invoice_anomaly: "anomalies",
};

type Way = readonly [to: string, title: string];

/** Where one reads first, and does it there. */
const WAYS: Readonly<Partial<Record<keyof RemedyInputs, (args: Record<string, string>) => Way>>> = {
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
  startReplay: () => ["attention/refused", "Open the refused callbacks"],
};

/** What is done at once, after a question. */
const ACTS: Readonly<Partial<Record<keyof RemedyInputs, string>>> = {
  resume: "Resume",
  resumeReplay: "Resume it",
  cancelReplay: "Stop it",
  retryDead: "Retry",
  releaseQuarantine: "Release",
  testAlarms: "Send a test message",
};

/** Whether the console does it, or leads there. */
export const hasWay = ({ operation }: AnyRemedy): boolean => operation in WAYS || operation in ACTS;

interface RemedyProps {
  of: AnyRemedy & { why?: string };
  onDone?: () => void;
}

/** What to do, as a link or a button; nothing for what only a terminal does. */
export function RemedyShown({ of: { operation, args, why }, onDone }: RemedyProps) {
  // Of chosen payments it is done from here; refused callbacks are looked at first.
  const isAct = operation in ACTS || "invoiceIds" in ((args as { filters?: object }).filters ?? {});
  const way = isAct ? undefined : WAYS[operation]?.(args as Record<string, string>);
  if (way !== undefined) {
    const [to, title] = way;
    return (
      <Link to={to} class="button">
        {why ?? title}
      </Link>
    );
  }
  if (!isAct) return null;
  const title = why ?? ACTS[operation] ?? "";
  return (
    <ActButton
      {...{ operation, title, question: `${title}?`, isMain: why !== undefined }}
      run={async (reason) => {
        await perform(operation, { ...args, reason });
        onDone?.();
        return "Done.";
      }}
    />
  );
}

/** What to do next about a result, as its view has it. */
export const Remedies = ({ of, onDone }: { of: readonly RemedyProps["of"][]; onDone: () => void }) => (
  <>
    {of.map((remedy) => (
      <RemedyShown key={JSON.stringify(remedy)} of={remedy} onDone={onDone} />
    ))}
  </>
);
