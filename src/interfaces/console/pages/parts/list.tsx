import { useState } from "preact/hooks";
import type { Rows } from "../../../../operations/views/view.ts";
import { may } from "../api/client.ts";
import { type ListPage, usePages } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { type Act, ActButton } from "./acts.tsx";
import { pageOf, Table, type TableProps } from "./fields.tsx";
import { FilterBar, type FormField, givenFilters, type Values } from "./form.tsx";
import { Empty, Loading, Problem } from "./page.tsx";
import { Button } from "./values.tsx";

/** A list of the console: what it is made of, and what it says. */
export interface ListDefinition<Row> extends Pick<TableProps<Row>, "keyOf" | "to"> {
  /** Its rows and their columns. */
  of: Rows<Row>;
  filters?: readonly FormField[];
  /** The page at a cursor, null for the first. @throws ApiProblem */
  read: (given: Values, cursor: string | null, signal?: AbortSignal) => Promise<ListPage<Row>>;
  noMatch?: string;
  acts?: readonly RowsAct<Row>[];
}

/** Something to be done about one row or many. */
export interface RowsAct<Row> extends Act {
  /** @returns what was done, in a sentence. @throws ApiProblem */
  run: (rows: readonly Row[], reason: string | undefined) => Promise<string>;
}

/** The same about what a page of its own shows: a row, or the same item of several sources. */
export const RowActs = <Row,>({ acts, rows }: { acts: readonly RowsAct<Row>[]; rows: readonly Row[] }) => (
  <>
    {acts.map((act) => (
      <ActButton
        {...act}
        key={act.title}
        question={`${act.title} it?`}
        run={(reason) => act.run(rows, reason)}
      />
    ))}
  </>
);

/** A list with its filters, page after page: what it holds so far, and the way on. */
export function List<Row>({ list }: { list: ListDefinition<Row> }) {
  const { of, filters = [], read, noMatch = "Take a filter away." } = list;
  const what = of.many ?? `${of.one}s`;
  const given = givenFilters(filters);
  const pages = usePages(`${what} ${JSON.stringify(given)}`, (cursor, signal) => read(given, cursor, signal));
  const { items, total, problem, isFetching, hasMore, more, reload } = pages;
  const isAll = Object.keys(given).length === 0;
  return (
    <>
      {filters.length > 0 && <FilterBar filters={filters} label={`Filters of ${what}`} />}
      {problem !== null && <Problem problem={problem} retry={hasMore ? more : reload} />}
      {items === null && problem === null && <Loading what={what} />}
      {items?.length === 0 && !hasMore && (
        <Empty title={isAll ? (of.none ?? "") : `No ${what} match`}>
          <p>{isAll ? of.why : noMatch}</p>
        </Empty>
      )}
      {items !== null && items.length > 0 && <Chooser list={list} rows={items} />}
      {items !== null && (items.length > 0 || hasMore) && (
        <div class="spread quiet">
          <p>
            Shown: {countText(items.length)}
            {total > items.length && ` of ${countText(total)}`}
            {hasMore && " so far"}
          </p>
          {hasMore && (
            <Button disabled={isFetching} onClick={more}>
              {isFetching ? "Reading…" : "Show more"}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** The rows; where something may be done about them, they are chosen first. */
function Chooser<Row>({ list, rows }: { list: ListDefinition<Row>; rows: readonly Row[] }) {
  const { of, acts = [] } = list;
  const { one, id, columns: fields } = of;
  const what = of.many ?? `${one}s`;
  const idOf = (row: Row) =>
    [(row as { source?: string }).source, id?.value(row)].filter((part) => part !== undefined).join(" ");
  const { keyOf = idOf, to = id && ((row: Row) => pageOf(row, id) ?? "") } = list;
  // References may repeat, ids do not.
  const nameOf = (row: Row) => `the ${one} ${String(fields[0]?.value(row) ?? "")}, ${keyOf(row)}`;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const allowed = acts.filter(({ operation }) => may(operation));
  const table = { caption: what, fields, id, keyOf, to, rows };
  if (allowed.length === 0) return <Table {...table} />;
  // Rows decided elsewhere meanwhile can no longer be chosen.
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  const many = countText(picked.length);
  return (
    <>
      <fieldset class="spread choice-bar" aria-label={`With the ${what} that are chosen`}>
        <p aria-live="polite">{picked.length === 0 ? `Choose ${what} to act on.` : `${many} chosen`}</p>
        <div class="row">
          {allowed.map((act) => (
            <ActButton
              {...act}
              key={act.title}
              question={`${act.title} ${picked.length === 1 ? "it" : `${many} ${what}`}?`}
              action={picked.length === 1 ? act.title : `${act.title} ${many}`}
              isDisabled={picked.length === 0}
              run={async (reason) => {
                const done = await act.run(picked, reason);
                setChosen(new Set());
                return done;
              }}
            />
          ))}
        </div>
      </fieldset>
      <Table {...table} choice={{ chosen, onChoose: setChosen, nameOf }} />
    </>
  );
}
