import { useEffect, useRef, useState } from "preact/hooks";
import type { ListPage } from "../api/use-answer.ts";

/** How soon after a sign of new rows they are counted, in ms: many signs are one look. */
const LOOK_MS = 1_000;

interface NewRowsProps<Row> {
  /** Changes when there may be some. */
  sign: string | null;
  /** What is shown; null while it is read. */
  items: readonly Row[] | null;
  keyOf: (row: Row) => string;
  readFirst: (signal: AbortSignal) => Promise<ListPage<Row>>;
}

/** How many rows of the first page, read anew, are not among those that are shown. */
export function useNewRows<Row>({ sign, items, keyOf, readFirst }: NewRowsProps<Row>): number {
  const seen = useRef(sign);
  const [count, setCount] = useState(0);
  // What is signed during a look leads to another one.
  const [looks, setLooks] = useState(0);
  const isToLook = items !== null && sign !== seen.current;
  useEffect(() => setCount(0), [items]);
  useEffect(() => {
    if (!isToLook) return;
    const known = new Set(items.map(keyOf));
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      readFirst(leaving.signal)
        .then((page) => setCount(page.items.filter((row) => !known.has(keyOf(row))).length))
        .catch(() => undefined)
        .finally(() => {
          if (leaving.signal.aborted) return;
          seen.current = sign;
          setLooks((last) => last + 1);
        });
    }, LOOK_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [items, isToLook, looks]);
  return count;
}
