import type { ComponentChildren } from "preact";
import type { LongList as List } from "../api/use-pages.ts";
import { countText } from "../kit/money-text.ts";
import { Loading, Problem } from "./states.tsx";
import { Time } from "./time.tsx";

interface LongListProps<Item> {
  list: List<Item>;
  /** For "Reading …" and "12 …": "payments". */
  what: string;
  /** Shown when there is none at all. */
  empty: ComponentChildren;
  children: (items: readonly Item[]) => ComponentChildren;
}

/** A list page after page: what it holds so far, how far back was searched, and the way on. */
export function LongList<Item>({ list, what, empty, children }: LongListProps<Item>) {
  const { items, problem, isLoading, searchedTo, hasMore, more, reload } = list;
  return (
    <>
      {problem !== null && <Problem problem={problem} retry={items === null ? reload : more} />}
      {items === null && problem === null && <Loading what={what} />}
      {items !== null && items.length === 0 && !hasMore && !isLoading && empty}
      {items !== null && items.length > 0 && children(items)}
      {items !== null && (items.length > 0 || hasMore) && (
        <div class="list-end">
          <p>
            {countText(items.length)} {what}
            {hasMore ? " so far" : ", and no more"}
            {searchedTo !== null && hasMore && (
              <>
                ; searched back to <Time at={searchedTo} as="full" />
              </>
            )}
          </p>
          {hasMore && (
            <button type="button" class="button" disabled={isLoading} onClick={more}>
              {isLoading ? "Reading…" : "Show more"}
            </button>
          )}
        </div>
      )}
    </>
  );
}
