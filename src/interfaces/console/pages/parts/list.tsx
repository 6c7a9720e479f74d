import { useEffect, useState } from "preact/hooks";
import type { Rows } from "../../../../operations/views/view.ts";
import type { AnswerOf, CallInput, OperationAt } from "../../../admin-api/open-api.ts";
import { get, may, type Status } from "../api/client.ts";
import { connection, liveStatus, useLive } from "../api/live.ts";
import { type ListPage, useIsStale, usePages, usePolled, useReloadAfter } from "../api/use-answer.ts";
import { spot } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { type Act, ActButton, type OnProgress } from "./acts.tsx";
import { pageOf, standAt, Table, type TableProps } from "./fields.tsx";
import { FilterBar, type FormField, givenFilters, type Values } from "./form.tsx";
import { Empty, Loading, Problem } from "./page.tsx";
import { Button } from "./values.tsx";

/** A list of the console: what it is made of, and what it says. */
export interface ListDefinition<Row> extends Pick<TableProps<Row>, "keyOf" | "to" | "toneOf"> {
  /** Its rows and their columns. */
  of: Rows<Row>;
  filters?: readonly FormField[];
  /** The page at a cursor, null for the first. @throws ApiProblem */
  read: (given: Values, cursor: string | null, signal?: AbortSignal) => Promise<ListPage<Row>>;
  noMatch?: string;
  acts?: readonly RowsAct<Row>[];
  /** How many there are, by the live status: the list is read again when that or its alarms change. */
  figure?: (status: Status) => number;
  /** Changes when there may be new rows, which are shown on demand; null while unknown. */
  news?: () => string | null;
  /** Rows still under way: the list is read again and again. */
  isUnderWay?: (row: Row) => boolean;
}

const manyOf = <Row,>({ one, many = `${one}s` }: Rows<Row>): string => many;

/** Something to be done about one row, many, or all that there are. */
export interface RowsAct<Row> extends Act {
  /** Instead of what its operation does. */
  says?: string;
  /** @returns what was done, in a sentence. @throws ApiProblem */
  run: (rows: readonly Row[], reason: string | undefined, values: Values) => Promise<string>;
  runAll?: (
    reason: string | undefined,
    given: Values,
    values: Values,
    onProgress: OnProgress,
  ) => Promise<string>;
}

/** The same about what a page of its own shows. */
export function RowActs<Row>({ acts, rows, onDone }: RowActsProps<Row>) {
  return (
    <>
      {acts.map((act) => (
        <ActButton
          {...act}
          key={act.title}
          question={`${act.title} it?`}
          run={async (reason, values) => {
            const done = await act.run(rows, reason, values);
            onDone();
            return done;
          }}
        />
      ))}
    </>
  );
}

interface RowActsProps<Row> {
  acts: readonly RowsAct<Row>[];
  /** A row; or the same item of several sources. */
  rows: readonly Row[];
  onDone: () => void;
}

/** The most rows that a list without cursors gives, and how many more are shown at a time. */
export const LIST_LIMIT = 1_000;
const STEP = 200;

/** A list without cursors: earlier rows are read with each page. @param ask for so many, of which the first are new */
export const readSteps =
  <Row,>(
    ask: (
      given: Values,
      limit: number,
      signal?: AbortSignal,
    ) => Promise<{ items: Row[]; total?: number | undefined }>,
  ): ListDefinition<Row>["read"] =>
  async (given, cursor, signal) => {
    const from = Number(cursor ?? 0);
    const limit = Math.min(from + STEP, LIST_LIMIT);
    const { items, total } = await ask(given, limit, signal);
    const hasMore =
      limit < LIST_LIMIT && (total === undefined ? items.length === limit : items.length < total);
    const page = { items: items.slice(from), next: hasMore ? String(items.length) : null };
    return total === undefined ? page : { ...page, total };
  };

/** Such a list that is counted. @param always in each query. */
export const readCounted = <const Path extends CountedPath>(
  path: Path,
  always?: CallInput<OperationAt<"get", Path>>["query"],
): ListDefinition<RowAt<Path>>["read"] =>
  readSteps(async (given, limit, signal) => {
    const asked = { query: { ...(always as object | undefined), ...given, limit } };
    return (await get(path, asked as CallInput<OperationAt<"get", Path>>, signal)) as {
      items: RowAt<Path>[];
      total: number;
    };
  });

type CountedPath = "/alarms" | "/dead-letters" | "/quarantine";
type RowAt<Path extends CountedPath> =
  AnswerOf<OperationAt<"get", Path>> extends { items: (infer Row)[] } ? Row : never;

/** A list with its filters, page after page: what it holds so far, and the way on. */
export function List<Row>({ list }: { list: ListDefinition<Row> }) {
  const { of, filters = [], read, figure, isUnderWay, noMatch = "Take a filter away." } = list;
  const what = manyOf(of);
  const given = givenFilters(filters);
  const pages = usePages(`${what} ${JSON.stringify(given)}`, (cursor, signal) => read(given, cursor, signal));
  const { items, total, problem, isLoading, hasMore, more, reload } = pages;
  const { value: status } = liveStatus;
  // The same number may count other alarms.
  useReloadAfter(figure && status && JSON.stringify([figure(status), status.openAlarms]), reload);
  const news = list.news?.() ?? null;
  // A lost connection may have missed new rows.
  const isStale = useIsStale(
    news === null ? null : `${news} ${connection.value === "lost"}`,
    pages.isReading,
  );
  const isAll = Object.keys(given).length === 0;
  useLive(figure !== undefined || list.news !== undefined);
  useSpot(pages);
  // Further pages that a reader has opened stay.
  usePolled(!pages.isFurther && isUnderWay !== undefined && (items?.some(isUnderWay) ?? false), pages);
  return (
    <>
      {filters.length > 0 && <FilterBar filters={filters} label={`Filters of ${what}`} />}
      {problem !== null && <Problem problem={problem} retry={hasMore ? more : reload} />}
      <p class="news" role="status">
        {isStale && <Button onClick={reload}>Show new {what}</Button>}
      </p>
      {items === null && problem === null && <Loading what={what} />}
      {items?.length === 0 && !hasMore && !isLoading && (
        <Empty title={isAll ? (of.none ?? "") : `No ${what} match`}>
          <p>{isAll ? of.why : noMatch}</p>
        </Empty>
      )}
      {items !== null && items.length > 0 && (
        <Chooser
          list={list}
          rows={items}
          total={hasMore ? total : (total ?? items.length)}
          given={given}
          onDone={reload}
        />
      )}
      {items !== null && (items.length > 0 || hasMore) && (
        <div class="spread list-end">
          <p>
            Shown: {countText(items.length)}
            {total !== null && total > items.length && ` of ${countText(total)}`}
            {hasMore && " so far"}
          </p>
          {hasMore && (
            <Button disabled={isLoading} onClick={more}>
              {isLoading ? "Reading…" : "Show more"}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

interface ChooserProps<Row> {
  list: ListDefinition<Row>;
  rows: readonly Row[];
  /** How many match, shown or not; null where they are not counted and there are more. */
  total: number | null;
  given: Values;
  onDone: () => void;
}

/** The rows; where something may be done about them, they are chosen first. */
function Chooser<Row>({ list, rows, total, given, onDone }: ChooserProps<Row>) {
  const { of, acts = [], toneOf } = list;
  const { one, id, columns: fields } = of;
  const what = manyOf(of);
  const idOf = (row: Row) =>
    [(row as { source?: string }).source, id?.value(row)].filter((part) => part !== undefined).join(" ");
  const { keyOf = idOf, to = id && ((row: Row) => pageOf(row, id) ?? "") } = list;
  // References may repeat, ids do not.
  const nameOf = (row: Row) => `the ${one} ${String(fields[0]?.value(row) ?? "")}, ${keyOf(row)}`;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const allowed = acts.filter(({ operation }) => may(operation));
  const table = { caption: what, fields, id, keyOf, to, rows, ...(toneOf && { toneOf }) };
  if (allowed.length === 0) return <Table {...table} />;
  // Rows decided elsewhere meanwhile can no longer be chosen.
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  const wordsFor = (act: RowsAct<Row>, count: number | null) => {
    const many = count === null ? "all" : countText(count);
    return {
      ...act,
      question: `${act.title} ${count === 1 ? "it" : `${many} ${what}`}?`,
      action: count === 1 ? act.title : `${act.title} ${many}`,
    };
  };
  const act =
    (run: (reason: string | undefined, values: Values, onProgress: OnProgress) => Promise<string>) =>
    async (reason: string | undefined, values: Values, onProgress: OnProgress) => {
      const done = await run(reason, values, onProgress);
      setChosen(new Set());
      onDone();
      return done;
    };
  const isAll = picked.length === rows.length && (total === null || total > rows.length);
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
              isDisabled={picked.length === 0}
              run={act((reason, values) => one.run(picked, reason, values))}
            />
          ))}
          {isAll &&
            allowed.map(
              (one) =>
                one.runAll !== undefined && (
                  <ActButton
                    key={`all ${one.title}`}
                    {...wordsFor(one, total)}
                    isMain={false}
                    title={`${one.title} all ${total === null ? "that match" : countText(total)}`}
                    run={act(
                      (reason, values, onProgress) =>
                        one.runAll?.(reason, given, values, onProgress) ?? Promise.resolve(""),
                    )}
                  />
                ),
            )}
        </div>
      </fieldset>
      <Table {...table} choice={{ chosen, onChoose: setChosen, nameOf }} />
    </>
  );
}

/** Scrolls a list, on return, to the row that the reader left by, however far down it is. */
function useSpot({ items, isLoading, hasMore, more }: ReturnType<typeof usePages>): void {
  useEffect(() => {
    const at = spot.peek();
    if (at === null || items === null || isLoading) return;
    if (!standAt(at.row) && items.length < at.shown && hasMore) more();
    else spot.value = null;
  }, [items, isLoading]);
}
