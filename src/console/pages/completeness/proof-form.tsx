import { useState } from "preact/hooks";
import type { Certificate } from "../../../reconcile/certificate/certificate.ts";
import type { Reconciled, Unread } from "../../../reconcile/on-request.ts";
import { may } from "../api/session.ts";
import { confirm } from "../parts/confirm-dialog.tsx";
import { tell } from "../parts/notices.tsx";
import { Problem } from "../parts/states.tsx";
import { certifiedWords, outcomeWords, progressWords, reconciledWords } from "./proof-words.ts";
import { useProofRun, type Work } from "./use-proof-run.ts";

interface ProofFormProps {
  /** What the fields begin with; YYYY-MM-DD. */
  from: string;
  to: string;
  /** The days are settled: no fields. */
  isFixed?: boolean;
  /** Called when something was done. */
  onDone: () => void;
}

/** Certify or reconcile a period, with progress; as far as whoever is signed in may. */
export function ProofForm({ from: first, to: last, isFixed = false, onDone }: ProofFormProps) {
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [said, setSaid] = useState<string | null>(null);
  const run = useProofRun();
  if (!may("certify") && !may("reconcile"))
    return <p>To certify or reconcile takes a token of role operate.</p>;

  const start = async (work: Work, body: object) => {
    setSaid(null);
    const result = await run.start(work, { from, to, ...body });
    if (result === null) return;
    const words =
      work === "certify"
        ? outcomeWords(result as (Certificate | Unread)[], certifiedWords)
        : outcomeWords(result as (Reconciled | Unread)[], reconciledWords);
    setSaid(words);
    onDone();
  };
  const reconcile = () =>
    confirm({
      title: `Reconcile ${from === to ? from : `${from} to ${to}`}?`,
      says:
        "The provider's lists of these days are read, and what no callback told is asked about, stored and " +
        "published. Payments from before the first serve are recorded only.",
      action: "Reconcile",
      run: async (reason) => {
        void start("reconcile", reason === undefined ? {} : { reason });
        return "Reconciling; it goes on when you leave this page.";
      },
    });
  const certify = () => {
    tell("Certifying; it goes on when you leave this page.", { quietly: true });
    void start("certify", {});
  };
  const isBad = from === "" || to === "" || from > to;
  return (
    <div class="proof">
      {!isFixed && (
        <>
          <DayField label="First day (UTC)" value={from} onChange={setFrom} max={to} />
          <DayField label="Last day (UTC)" value={to} onChange={setTo} max={last} />
        </>
      )}
      <div class="actions">
        {may("reconcile") && (
          <button type="button" class="button" disabled={run.work !== null || isBad} onClick={reconcile}>
            Reconcile
          </button>
        )}
        {may("certify") && (
          <button
            type="button"
            class="button is-primary"
            disabled={run.work !== null || isBad}
            onClick={certify}
          >
            Certify
          </button>
        )}
      </div>
      <div class="proof-said" role="status">
        {run.work !== null && (
          <>
            <p>{run.progress === null ? "Beginning…" : progressWords(run.progress)}</p>
            <progress
              aria-label={run.work === "certify" ? "Certifying" : "Reconciling"}
              {...(run.progress?.total != null && { value: run.progress.done, max: run.progress.total })}
            />
          </>
        )}
        {run.work === null && said !== null && <p>{said}</p>}
      </div>
      {run.problem !== null && <Problem problem={run.problem} />}
    </div>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  max: string;
  onChange: (day: string) => void;
}

const DayField = ({ label, value, max, onChange }: DayFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input type="date" value={value} max={max} onInput={(event) => onChange(event.currentTarget.value)} />
  </label>
);
