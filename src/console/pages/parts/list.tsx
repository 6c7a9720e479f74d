import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AnswerOf, CallInput, OperationAt } from "../../../api/calls.ts";
import { get } from "../api/client.ts";
import { liveStatus } from "../api/live.ts";
import { may } from "../api/session.ts";
import type { Status } from "../api/types.ts";
import { type ListPage, usePages, usePolled } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { ActButton } from "./acts.tsx";
import { type Filter, FilterBar, givenFilters } from "./filters.tsx";
import { Empty, Loading, Problem } from "./page.tsx";
import { Table, type TableProps } from "./table.tsx";
import { Time } from "./values.tsx";

/** A list of the console: what it is made of, and what it says. */
export interface ListDefinition<Row> extends Omit<TableProps<Row>, "rows" | "choice"> {
  /** For "Reading …" and "12 …": "payments". */
  what: string;
  filters?: readonly Filter[];
  /** The page at a cursor, null for the first. @throws ApiProblem */
  read: (
    given: Readonly<Record<string, string>>,
    cursor: string | null,
    signal?: AbortSignal,
  ) => Promise<ListPage<Row>>;
  /** Shown when there is none at all. */
  empty: ComponentChildren;
  /** Shown when none matches the filters. */
  noMatch?: string;
  /** What may be done about rows that are chosen. */
  acts?: readonly RowsAct<Row>[];
  /** What a row is called, where rows are chosen: no two of them the same. */
  nameOf?: (row: Row) => string;
  /** A figure of the live status: the list is read again when it changes. */
  figure?: (status: Status) => number;
  /** Such rows move: the list is read again and again. */
  isUnderWay?: (row: Row) => boolean;
}

/** Something to be done about one row, many, or all that there are. */
export interface RowsAct<Row> {
  /** The operation of the admin API: not shown to whoever may not. */
  operation: string;
  /** The verb on the button: "Retry". */
  title: string;
  isMain?: boolean;
  /** What will happen to so many, and what will not. */
  says: (count: number) => string;
  /** @returns what was done, in a sentence. @throws ApiProblem */
  run: (rows: readonly Row[], reason: string | undefined) => Promise<string>;
  /** The same for all, also those that are not shown. */
  runAll?: (reason: string | undefined) => Promise<string>;
}

/** Reads pages of the admin API that need no more than the query. @param always what each query holds. */
export const readPages =
  <const Path extends ListPath>(
    path: Path,
    always?: CallInput<OperationAt<"get", Path>>["query"],
  ): ListDefinition<RowAt<Path>>["read"] =>
  (given, cursor, signal) => {
    const query = { ...(always as object | undefined), ...given, ...(cursor !== null && { cursor }) };
    const asked = { query } as CallInput<OperationAt<"get", Path>>;
    return get(path, asked, signal) as Promise<ListPage<RowAt<Path>>>;
  };

type ListPath = "/alarms" | "/callbacks" | "/dead-letters" | "/invoices" | "/quarantine";
type RowAt<Path extends ListPath> =
  AnswerOf<OperationAt<"get", Path>> extends { items: (infer Row)[] } ? Row : never;

interface ListProps<Row> {
  list: ListDefinition<Row>;
  /** What is searched for; it stands in no address. */
  text?: string;
}

/** A list with its filters, page after page: what it holds so far, how far back was searched, and the way on. */
export function List<Row>({ list, text = "" }: ListProps<Row>) {
  const { what, filters = [], read, figure, isUnderWay } = list;
  const given = { ...givenFilters(filters), ...(text !== "" && { text }) };
  const pages = usePages(`${what} ${JSON.stringify(given)}`, (cursor, signal) => read(given, cursor, signal));
  const { items, total, problem, isLoading, searchedTo, hasMore, more, reload } = pages;
  useReloadAfter(liveStatus.value === null ? undefined : figure?.(liveStatus.value), reload);
  usePolled(isUnderWay !== undefined && (items?.some(isUnderWay) ?? false), pages);
  return (
    <>
      {filters.length > 0 && <FilterBar filters={filters} label={`Filters of ${what}`} />}
      {problem !== null && <Problem problem={problem} retry={hasMore ? more : reload} />}
      {items === null && problem === null && <Loading what={what} />}
      {items?.length === 0 && !hasMore && !isLoading && (
        <Nothing isAll={Object.keys(given).length === 0} list={list} />
      )}
      {items !== null && items.length > 0 && (
        <Rows list={list} rows={items} total={total ?? items.length} onDone={reload} />
      )}
      {items !== null && (items.length > 0 || hasMore) && (
        <div class="spread list-end">
          <p>
            {countText(items.length)}
            {total !== null && total > items.length && ` of ${countText(total)}`} {what}
            {hasMore && " so far"}
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

interface NothingProps<Row> {
  list: ListDefinition<Row>;
  /** Nothing was asked for in particular. */
  isAll: boolean;
}

function Nothing<Row>({ list: { what, empty, noMatch }, isAll }: NothingProps<Row>) {
  if (isAll) return empty;
  return (
    <Empty title={`No ${what} match`}>
      <p>{noMatch ?? "Take a filter away."}</p>
    </Empty>
  );
}

interface RowsProps<Row> {
  list: ListDefinition<Row>;
  rows: readonly Row[];
  /** How many there are, shown or not. */
  total: number;
  /** Called when something was done. */
  onDone: () => void;
}

/** The rows; where something may be done about them, they are chosen first. */
function Rows<Row>({ list, rows, total, onDone }: RowsProps<Row>) {
  const { what, caption, fields, keyOf, to, acts = [], nameOf = keyOf } = list;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const allowed = acts.filter(({ operation }) => may(operation));
  const table = { caption, fields, keyOf, to, rows };
  if (allowed.length === 0) return <Table {...table} />;
  // What was decided elsewhere meanwhile is no longer there to be chosen.
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  const wordsFor = ({ operation, title, says }: RowsAct<Row>, count: number) => ({
    operation,
    question: `${title} ${count === 1 ? "it" : `${countText(count)} ${what}`}?`,
    says: says(count),
    action: count === 1 ? title : `${title} ${countText(count)}`,
  });
  const act =
    (run: (reason: string | undefined) => Promise<string>) => async (reason: string | undefined) => {
      const done = await run(reason);
      setChosen(new Set());
      onDone();
      return done;
    };
  const isAll = picked.length === rows.length && total > rows.length;
  return (
    <>
      <fieldset class="spread choice-bar" aria-label={`With the ${what} that are chosen`}>
        <p aria-live="polite">
          {picked.length === 0 ? `Choose ${what} to act on.` : `${countText(picked.length)} chosen`}
        </p>
        <div class="row">
          {allowed.map((one) => (
            <ActButton
              key={one.title}
              {...wordsFor(one, picked.length)}
              title={one.title}
              isMain={one.isMain}
              isDisabled={picked.length === 0}
              run={act((reason) => one.run(picked, reason))}
            />
          ))}
          {isAll &&
            allowed.map(
              (one) =>
                one.runAll !== undefined && (
                  <ActButton
                    key={`all ${one.title}`}
                    {...wordsFor(one, total)}
                    title={`${one.title} all ${countText(total)}`}
                    run={act(one.runAll)}
                  />
                ),
            )}
        </div>
      </fieldset>
      <Table {...table} choice={{ chosen, onChoose: setChosen, nameOf }} />
    </>
  );
}

/** Reads again when a figure changes that somebody else keeps; not for its first value. */
function useReloadAfter(figure: number | undefined, reload: () => void): void {
  const last = useRef(figure);
  useEffect(() => {
    if (last.current !== undefined && figure !== last.current) reload();
    last.current = figure;
  }, [figure, reload]);
}
