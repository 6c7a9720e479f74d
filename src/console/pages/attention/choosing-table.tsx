import { useState } from "preact/hooks";
import { may } from "../api/session.ts";
import { countText } from "../kit/money-text.ts";
import { confirm } from "../parts/confirm-dialog.tsx";
import { Table, type TableProps } from "../parts/table.tsx";

/** Something to be done about one row, many, or all that there are. */
export interface Act<Row> {
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

interface ChoosingTableProps<Row> extends Omit<TableProps<Row>, "choice"> {
  /** Of many: "dead letters". */
  what: string;
  /** How many there are, shown or not. */
  total: number;
  /** What a row is called: no two of them the same. */
  nameOf: (row: Row) => string;
  acts: readonly Act<Row>[];
  /** Called when something was done. */
  onDone: () => void;
}

/** A table whose rows are chosen, and what may be done about them. */
export function ChoosingTable<Row>({ acts, onDone, total, what, nameOf, ...table }: ChoosingTableProps<Row>) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const allowed = acts.filter(({ operation }) => may(operation));
  const { rows, keyOf } = table;
  // What was decided elsewhere meanwhile is no longer there to be chosen.
  const picked = rows.filter((row) => chosen.has(keyOf(row)));
  const isAll = picked.length === rows.length && total > rows.length;
  const ask = ({ title, says, run, runAll }: Act<Row>, all: boolean) => {
    const count = all ? total : picked.length;
    confirm({
      title: `${title} ${count === 1 ? "it" : `${countText(count)} ${what}`}?`,
      says: says(count),
      action: count === 1 ? title : `${title} ${countText(count)}`,
      run: async (reason) => {
        const said = await (all && runAll !== undefined ? runAll(reason) : run(picked, reason));
        setChosen(new Set());
        onDone();
        return said;
      },
    });
  };
  if (allowed.length === 0) return <Table {...table} />;
  return (
    <>
      <fieldset class="choice-bar" aria-label={`With the ${what} that are chosen`}>
        <p aria-live="polite">
          {picked.length === 0 ? `Choose ${what} to act on.` : `${countText(picked.length)} chosen`}
        </p>
        <div class="actions">
          {allowed.map((act) => (
            <button
              key={act.title}
              type="button"
              class={act.isMain ? "button is-primary" : "button"}
              disabled={picked.length === 0}
              onClick={() => ask(act, false)}
            >
              {act.title}
            </button>
          ))}
          {isAll &&
            allowed
              .filter(({ runAll }) => runAll !== undefined)
              .map((act) => (
                <button key={`all ${act.title}`} type="button" class="button" onClick={() => ask(act, true)}>
                  {act.title} all {countText(total)}
                </button>
              ))}
        </div>
      </fieldset>
      <Table {...table} choice={{ chosen, onChoose: setChosen, nameOf }} />
    </>
  );
}
