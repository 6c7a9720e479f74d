import { signal } from "@preact/signals";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { AnswerOf, CallInput, OperationAt, PathOf } from "../../../admin-api/open-api.ts";
import { ApiProblem, get } from "./client.ts";

export interface Answer<Data> {
  /** The last good one: it stays while it is asked again, and when that fails. */
  data: Data | null;
  problem: ApiProblem | null;
  reload: () => void;
}

/** Counts what was changed from here: everything on the page is asked again then. */
export const acted = signal(0);

const AGAIN_MS = 10_000;

/** Asks again every ten seconds while the page is seen, and when it is seen again. */
function useAgain(isWaiting: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isWaiting) return;
    const again = () => document.visibilityState === "visible" && reload();
    const timer = setInterval(again, AGAIN_MS);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [isWaiting, reload]);
}

/** Asks the admin API: an operation that reads, by its path below `/admin/v1`. */
export const useAnswer = <const Path extends PathOf<"get">>(
  path: Path,
  given: CallInput<OperationAt<"get", Path>>,
): Answer<AnswerOf<OperationAt<"get", Path>>> =>
  useCall(JSON.stringify([path, given]), (signal) => get(path, given, signal));

/**
 * The same for any call.
 * @param key what is asked for: another key forgets the answer to the one before
 * @param isOnce it is not asked again by itself
 */
function useCall<Data>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Data>,
  isOnce = false,
): Answer<Data> {
  const [kept, setKept] = useState<{ key: string; data: Data | null; problem: ApiProblem | null } | null>(
    null,
  );
  const [isAsking, setAsking] = useState(true);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((last) => last + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    setAsking(true);
    ask(controller.signal)
      .then((data) => setKept({ key, data, problem: null }))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = ApiProblem.of(error);
        setKept((last) => ({ key, data: last?.key === key ? last.data : null, problem }));
      })
      .finally(() => {
        if (!controller.signal.aborted) setAsking(false);
      });
    return () => controller.abort();
  }, [key, turn, acted.value]);
  useAgain(!isAsking && !isOnce, reload);

  const current = kept?.key === key ? kept : null;
  return { data: current?.data ?? null, problem: current?.problem ?? null, reload };
}

/** A page of a long list, as the admin API gives it. */
export interface ListPage<Item> {
  items: Item[];
  /** Where the next page begins; null at the end. */
  next?: string | null;
  /** How many there are in all, where they are counted. */
  total?: number;
}

/** A long list, page after page. @param key another one begins anew. @param ask null for the first page. */
export function usePages<Item>(
  key: string,
  ask: (cursor: string | null, signal?: AbortSignal) => Promise<ListPage<Item>>,
) {
  const [further, setFurther] = useState<{ of: unknown; pages: ListPage<Item>[] }>({ of: null, pages: [] });
  const [isFetching, setFetching] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  // Further pages that a reader has opened stay.
  const first = useCall(key, (signal) => ask(null, signal), further.pages.length > 0);
  useEffect(() => {
    setProblem(null);
    setFurther({ of: first.data, pages: [] });
  }, [first.data]);
  const pages = first.data === null ? [] : [first.data, ...(further.of === first.data ? further.pages : [])];
  const { next = null } = pages.at(-1) ?? {};

  const more = () => {
    if (next === null || isFetching) return;
    setFetching(true);
    setProblem(null);
    ask(next)
      .then((page) => setFurther(({ of, pages }) => ({ of, pages: [...pages, page] })))
      .catch((error: unknown) => setProblem(ApiProblem.of(error)))
      .finally(() => setFetching(false));
  };
  return {
    items: first.data === null ? null : pages.flatMap((page) => page.items),
    total: first.data?.total ?? 0,
    problem: problem ?? first.problem,
    isFetching,
    hasMore: next !== null,
    more,
    reload: first.reload,
  };
}
