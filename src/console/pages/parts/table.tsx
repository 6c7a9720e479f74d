import type { ComponentChildren } from "preact";
import { Link } from "../kit/router.tsx";
import { visibleText } from "../kit/visible-text.ts";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /**
   * number: to the right, digits aligned; text: over several lines; wide: too, and takes what is left. Without
   * it a cell is one line, cut where it is very long.
   */
  kind?: "number" | "text" | "wide";
  /** On a phone a row is a small card: `lead` its first line, `side` at that line's right, `away` left out. */
  phone?: "lead" | "side" | "away";
}

export interface TableProps<Row> {
  /** What it lists, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where a row leads: the first column becomes the link, and the whole row can be clicked. */
  to?: (row: Row) => string;
  /** With it, rows have check boxes. */
  choice?: {
    /** `keyOf` of those that are chosen. */
    chosen: ReadonlySet<string>;
    onChoose: (chosen: ReadonlySet<string>) => void;
    /** What a row is called, so that who cannot see it knows which one a check box chooses. */
    nameOf: (row: Row) => string;
  };
}

/** Rows and columns; `j` and `k` go from row to row. */
export function Table<Row>({ caption, columns, rows, keyOf, to, choice }: TableProps<Row>) {
  const chosen = choice?.chosen;
  const choose = (keys: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const key of keys) {
      if (isChosen) next.add(key);
      else next.delete(key);
    }
    choice?.onChoose(next);
  };
  const all = rows.map(keyOf);
  const isEveryChosen = chosen !== undefined && all.length > 0 && all.every((key) => chosen.has(key));
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: on a phone rows are laid out as cards, which takes the roles away.
    <table class={to === undefined ? "table" : "table is-linked"} role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {chosen !== undefined && (
            <th role="columnheader" scope="col" class="is-choice">
              <input
                type="checkbox"
                aria-label="Choose all that are shown"
                checked={isEveryChosen}
                onChange={(event) => choose(all, event.currentTarget.checked)}
              />
            </th>
          )}
          {columns.map((column) => (
            <th key={column.head} role="columnheader" scope="col" class={classOf(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const key = keyOf(row);
          return (
            <tr key={key} role="row" class={chosen?.has(key) ? "is-chosen" : ""}>
              {choice !== undefined && (
                <td role="cell" class="is-choice">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${visibleText(choice.nameOf(row))}`}
                    checked={choice.chosen.has(key)}
                    onChange={(event) => choose([key], event.currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map((column, index) => (
                <td key={column.head} role="cell" class={classOf(column)} data-head={column.head}>
                  {index === 0 && to !== undefined ? (
                    <Link to={to(row)} class="row-link">
                      {column.cell(row)}
                    </Link>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above.
  );
}

function classOf<Row>({ kind, phone }: Column<Row>): string {
  return [kind && `is-${kind}`, phone && `phone-${phone}`].filter(Boolean).join(" ");
}

/** Moves the focus to the next row's link, or the one before. */
export function stepRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<Element>(".table .row-link")].filter(
    (link) => link instanceof HTMLElement,
  );
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1;
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
