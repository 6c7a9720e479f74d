import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiProblem } from "./problem.ts";
import { useAsking } from "./use-answer.ts";

/** One page of a long list, as the admin API gives it. */
export interface ListPage<Item> {
  items: Item[];
  /** Where the next page begins; null at the end. */
  next: string | null;
  /** How far back it was searched, when the page's cost ended it; null when it was not. */
  searchedTo: string | null;
}

export interface LongList<Item> {
  items: readonly Item[] | null;
  problem: ApiProblem | null;
  isLoading: boolean;
  searchedTo: string | null;
  hasMore: boolean;
  more: () => void;
  reload: () => void;
}

interface Further<Item> {
  key: string;
  pages: ListPage<Item>[];
}

/**
 * A long list, page after page by its cursor.
 * @param key the list's filters: other filters begin anew.
 * @param ask for the page at a cursor, null for the first; the same function as long as the key is the same.
 */
export function usePages<Item>(
  key: string,
  ask: (cursor: string | null, signal?: AbortSignal) => Promise<ListPage<Item>>,
): LongList<Item> {
  const first = useAsking(
    key,
    useCallback((signal: AbortSignal) => ask(null, signal), [ask]),
  );
  const [further, setFurther] = useState<Further<Item>>({ key, pages: [] });
  const [isFetching, setFetching] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const pages = first.data === null ? [] : [first.data, ...(further.key === key ? further.pages : [])];
  const last = pages.at(-1) ?? null;

  // The pages behind a first page that was read again would repeat or miss what moved.
  useEffect(() => {
    setFurther({ key, pages: [] });
    setProblem(null);
  }, [key, first.data]);

  const more = () => {
    if (last === null || last.next === null || isFetching) return;
    setFetching(true);
    setProblem(null);
    ask(last.next)
      .then((page) => setFurther((kept) => ({ key, pages: [...(kept.key === key ? kept.pages : []), page] })))
      .catch((error: unknown) =>
        setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, String(error))),
      )
      .finally(() => setFetching(false));
  };
  return {
    items: first.data === null ? null : pages.flatMap(({ items }) => items),
    problem: problem ?? first.problem,
    isLoading: first.isLoading || isFetching,
    searchedTo: last?.searchedTo ?? null,
    hasMore: last !== null && last.next !== null,
    more,
    reload: first.reload,
  };
}
