import { useEffect, useRef, useState } from "preact/hooks";
import type { Given, OperationAt } from "../../../api/calls.ts";
import type { ProgressLine } from "../../../operate/operations/proof.ts";
import { postLines } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";

export type Work = "certify" | "reconcile";
export type ProofBody = Given<OperationAt<"post", "/certify" | "/reconcile">>["body"];
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
  start: (work: Work, body: ProofBody) => Promise<unknown>;
}

/** Certify or reconcile, line by line as it proceeds. */
export function useProofRun(): ProofRun {
  const [work, setWork] = useState<Work | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);

  const start = async (wanted: Work, body: ProofBody): Promise<unknown> => {
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
      await postLines(`/${wanted}`, { body }, onLine, leaving.current.signal);
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
