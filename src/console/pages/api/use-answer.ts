import { useCallback, useEffect, useState } from "preact/hooks";
import type { AnswerOf, Given, OperationAt, PathOf } from "../../../api/calls.ts";
import { get } from "./client.ts";
import { ApiProblem } from "./problem.ts";

export interface Answer<Data> {
  /** The last good one: it stays while it is asked again, and when that fails. */
  data: Data | null;
  problem: ApiProblem | null;
  isLoading: boolean;
  reload: () => void;
}

interface Kept<Data> {
  /** What was asked for. */
  key: string;
  data: Data | null;
  problem: ApiProblem | null;
}

/** How long after no answer at all it is asked again, in ms. */
const AGAIN_MS = 4_000;

/** Asks the admin API: an operation that reads, by its path below `/admin/v1`. */
export function useAnswer<const Path extends PathOf<"get">>(
  path: Path,
  given: Given<OperationAt<"get", Path>>,
): Answer<AnswerOf<OperationAt<"get", Path>>> {
  const key = JSON.stringify([path, given]);
  const ask = useCallback((signal: AbortSignal) => get(path, given, signal), [key]);
  return useAsking(key, ask);
}

/**
 * The same for any call.
 * @param key what is asked for: another key forgets the answer to the one before; null asks nothing.
 * @param ask the same function as long as the key is the same.
 */
export function useAsking<Data>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<Data>,
): Answer<Data> {
  const [kept, setKept] = useState<Kept<Data> | null>(null);
  const [isLoading, setLoading] = useState(key !== null);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((last) => last + 1), []);

  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setLoading(true);
    ask(controller.signal)
      .then((data) => setKept({ key, data, problem: null }))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = error instanceof ApiProblem ? error : new ApiProblem(0, String(error));
        setKept((last) => ({ key, data: last?.key === key ? last.data : null, problem }));
        if (problem.status === 0) again = setTimeout(reload, AGAIN_MS);
      })
      .finally(() => {
        if (!controller.signal.aborted) setLoading(false);
      });
    return () => {
      clearTimeout(again);
      controller.abort();
    };
  }, [key, ask, turn]);

  const current = kept?.key === key ? kept : null;
  return {
    data: current?.data ?? null,
    problem: current?.problem ?? null,
    isLoading: isLoading || (key !== null && current === null),
    reload,
  };
}
