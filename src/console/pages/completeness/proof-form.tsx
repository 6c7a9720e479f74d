import { useEffect, useRef, useState } from "preact/hooks";
import type { ProgressLine } from "../../../api/proof-schemas.ts";
import type { Certificate } from "../../../reconcile/certificate/certificate.ts";
import type { Reconciled, Unread } from "../../../reconcile/on-request.ts";
import { postLines } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { may } from "../api/session.ts";
import { ActButton } from "../parts/acts.tsx";
import { notify } from "../parts/notices.tsx";
import { Problem } from "../parts/page.tsx";
import { certifiedWords, outcomeWords, progressWords, reconciledWords } from "./proof-words.ts";

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
  const certify = () => {
    notify("Certifying; it goes on when you leave this page.", { quietly: true });
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
        <ActButton
          operation="reconcile"
          title="Reconcile"
          isDisabled={run.work !== null || isBad}
          question={`Reconcile ${from === to ? from : `${from} to ${to}`}?`}
          says="The provider's lists of these days are read, and what no callback named is asked about, stored and published. Payments from before the first serve are recorded only."
          action="Reconcile"
          run={async (reason) => {
            void start("reconcile", { reason });
            return "Reconciling; it goes on when you leave this page.";
          }}
        />
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

export type Work = "certify" | "reconcile";
type Progress = Extract<ProgressLine, { progress: unknown }>["progress"];

export interface ProofRun {
  /** What runs now; null when nothing does. */
  work: Work | null;
  progress: Progress | null;
  problem: ApiProblem | null;
  /**
   * Starts it.
   * @returns its result, null when it failed or the page was left; the relay goes on all the same.
   */
  start: (work: Work, body: object) => Promise<unknown>;
}

/** Certify or reconcile, line by line as it proceeds. */
export function useProofRun(): ProofRun {
  const [work, setWork] = useState<Work | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);

  const start = async (wanted: Work, body: object): Promise<unknown> => {
    setWork(wanted);
    setProgress(null);
    setProblem(null);
    let result: unknown = null;
    let error: string | null = null;
    try {
      const onLine = (line: ProgressLine) => {
        if ("progress" in line) setProgress(line.progress);
        else if ("error" in line) error = line.error;
        else result = line.result;
      };
      await postLines<ProgressLine>(`/${wanted}`, body, onLine, leaving.current.signal);
      if (error !== null) throw new ApiProblem(409, error);
      return result;
    } catch (thrown) {
      if (leaving.current.signal.aborted) return null;
      setProblem(thrown instanceof ApiProblem ? thrown : new ApiProblem(0, "The connection broke off."));
      return null;
    } finally {
      if (!leaving.current.signal.aborted) setWork(null);
    }
  };
  return { work, progress, problem, start };
}
