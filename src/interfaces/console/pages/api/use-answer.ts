import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AnswerOf, CallInput, OperationAt, PathOf } from "../../../admin-api/open-api.ts";
import { ApiProblem, get } from "./client.ts";

export interface Answer<Data> {
  /** The last good one: it stays while it is asked again, and when that fails. */
  data: Data | null;
  problem: ApiProblem | null;
  isLoading: boolean;
  reload: () => void;
}

/** The delay before a request without an answer is repeated, in ms. */
const AGAIN_MS = 4_000;

/** Asks the admin API: an operation that reads, by its path below `/admin/v1`. */
export const useAnswer = <const Path extends PathOf<"get">>(
  path: Path,
  given: CallInput<OperationAt<"get", Path>>,
): Answer<AnswerOf<OperationAt<"get", Path>>> =>
  useCall(JSON.stringify([path, given]), (signal) => get(path, given, signal));

/** The same for any call. @param key what is asked for: another key forgets the answer to the one before. */
function useCall<Data>(key: string, ask: (signal: AbortSignal) => Promise<Data>): Answer<Data> {
  const [kept, setKept] = useState<{ key: string; data: Data | null; problem: ApiProblem | null } | null>(
    null,
  );
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((last) => last + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setLoading(true);
    ask(controller.signal)
      .then((data) => setKept({ key, data, problem: null }))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = ApiProblem.of(error);
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
  }, [key, turn]);

  const current = kept?.key === key ? kept : null;
  return {
    data: current?.data ?? null,
    problem: current?.problem ?? null,
    isLoading: isLoading || current === null,
    reload,
  };
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
  const first = useCall(key, (signal) => ask(null, signal));
  const [further, setFurther] = useState<{ of: unknown; pages: ListPage<Item>[] }>({ of: null, pages: [] });
  const [isFetching, setFetching] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  // The pages behind a first page that was read again would repeat or miss what moved.
  const behind = further.of === first.data ? further.pages : [];
  const pages = first.data === null ? [] : [first.data, ...behind];
  const items = useMemo(
    () => (first.data === null ? null : pages.flatMap((page) => page.items)),
    [first.data, further],
  );
  const { next = null } = pages.at(-1) ?? {};
  useEffect(() => setProblem(null), [first.data]);

  const more = () => {
    if (next === null || isFetching) return;
    setFetching(true);
    setProblem(null);
    ask(next)
      .then((page) => setFurther({ of: first.data, pages: [...behind, page] }))
      .catch((error: unknown) => setProblem(ApiProblem.of(error)))
      .finally(() => setFetching(false));
  };
  return {
    items,
    total: first.data?.total ?? null,
    problem: problem ?? first.problem,
    isReading: first.isLoading,
    isLoading: first.isLoading || isFetching,
    hasMore: next !== null,
    /** Whether more than the first page is shown. */
    isFurther: behind.length > 0,
    more,
    reload: first.reload,
  };
}

/** Reads again and again, for as long as something is under way. @param pauseMs after each answer. */
export function usePolled(
  isUnderWay: boolean,
  { isLoading, reload }: Pick<Answer<unknown>, "isLoading" | "reload">,
  pauseMs = 1_000,
): void {
  useEffect(() => {
    if (!isUnderWay || isLoading) return;
    const timer = setTimeout(reload, pauseMs);
    return () => clearTimeout(timer);
  }, [isUnderWay, isLoading]);
}

/** Reads again when a sign kept elsewhere changes; not for its first value, null before that. */
export function useReloadAfter(sign: string | null | undefined, reload: () => void): void {
  const last = useRef(sign);
  useEffect(() => {
    if (last.current != null && sign !== last.current) reload();
    last.current = sign;
  }, [sign, reload]);
}

/** Whether more may be there than was read: the sign, null while unknown, has changed since. */
export function useIsStale(sign: string | null, isReading: boolean): boolean {
  const asked = useRef(sign);
  useEffect(() => {
    if (isReading) asked.current = sign;
  }, [isReading]);
  asked.current ??= sign;
  return !isReading && sign !== asked.current;
}
