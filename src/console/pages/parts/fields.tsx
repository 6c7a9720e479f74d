import type { ComponentChildren } from "preact";
import { go, keepSpot, Link } from "../kit/router.tsx";
import { countText, visibleText } from "../kit/text.ts";
import { Badge, Money, None, Outside, Time } from "./values.tsx";

/** Something that is known of a row: a column of its list, a line of its details. */
export interface Field<Row> {
  name: string;
  /** null: details leave it out. */
  show: (row: Row) => ComponentChildren;
  /**
   * In a table. number: to the right, digits aligned; text: over several lines; wide: too, and takes what is
   * left. Without it a cell is one line, cut where it is very long.
   */
  kind?: "number" | "text" | "wide";
  /** On a phone a row is a small card: `lead` its first line, `side` at that line's right, `away` left out. */
  phone?: "lead" | "side" | "away";
}

type Look = Pick<Field<never>, "kind" | "phone">;
type With<Key extends string, Value> = Readonly<Record<Key, Value>>;

const fieldOf =
  <Value,>(show: (value: Value) => ComponentChildren, usual: Look = {}) =>
  <Key extends string>(name: string, key: Key, look: Look = {}): Field<With<Key, Value>> => ({
    name,
    show: ({ [key]: value }) => show(value),
    ...usual,
    ...look,
  });

/** What somebody else may have written; a dash where it is not there. */
export const textField = fieldOf((text: string | null) => <Outside text={text} />);
export const timeField = fieldOf((at: string | null) => <Time at={at} />);
export const fullTimeField = fieldOf((at: string | null) => <Time at={at} as="full" />);
export const moneyField = fieldOf((amount: string | null) => <Money amount={amount} />, { kind: "number" });
/** An amount in its source's currency. */
export const paymentMoneyField = <Key extends string>(
  name: string,
  key: Key,
  look: Look = {},
): Field<With<Key, string | null> & { source: string }> => ({
  name,
  show: ({ [key]: amount, source }) => <Money amount={amount} of={source} />,
  kind: "number",
  ...look,
});
export const stateField = fieldOf((state: string | null) => <Badge state={state} />);
export const countField = fieldOf((count: number | null) => (count === null ? <None /> : countText(count)), {
  kind: "number",
});

/** A text is shown as what others may have written: nothing hides in it. */
const safely = (shown: ComponentChildren) => (typeof shown === "string" ? <Outside text={shown} /> : shown);

export function Facts<Row>({ of, fields }: { of: Row; fields: readonly Field<Row>[] }) {
  return (
    <dl class="facts">
      {fields.map(({ name, show }, index) => {
        const shown = show(of);
        return (
          shown !== null && (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{safely(shown)}</dd>
            </div>
          )
        );
      })}
    </dl>
  );
}

export interface TableProps<Row> {
  /** What it lists, for screen readers. */
  caption: string;
  fields: readonly Field<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where a row leads: the first column becomes the link, and the whole row can be clicked. */
  to?: ((row: Row) => string) | undefined;
  toneOf?: (row: Row) => string;
  choice?: {
    /** `keyOf` of those that are chosen. */
    chosen: ReadonlySet<string>;
    onChoose: (chosen: ReadonlySet<string>) => void;
    /** What a row is called, so that who cannot see it knows which one a check box chooses. */
    nameOf: (row: Row) => string;
  };
}

export function Table<Row>({ caption, fields, rows, keyOf, to, toneOf, choice }: TableProps<Row>) {
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
  const leaveBy = (row: string, page: string) => {
    keepSpot({ row, shown: rows.length });
    go(page);
  };
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: on a phone rows are laid out as cards, which takes the roles away.
    <table class={to === undefined ? "table rows" : "table rows is-linked"} role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {chosen !== undefined && (
            <th role="columnheader" scope="col" class="is-choice">
              <input
                type="checkbox"
                aria-label="Choose all that are shown"
                checked={all.length > 0 && all.every((key) => chosen.has(key))}
                onChange={(event) => choose(all, event.currentTarget.checked)}
              />
            </th>
          )}
          {fields.map((field) => (
            <th key={field.name} role="columnheader" scope="col" class={classOf(field)}>
              {field.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const key = keyOf(row);
          return (
            <tr
              key={key}
              role="row"
              data-row={key}
              class={chosen?.has(key) ? "is-chosen" : toneOf ? `is-${toneOf(row)}` : ""}
            >
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
              {fields.map((field, index) => (
                <td key={field.name} role="cell" class={classOf(field)} data-name={field.name}>
                  {index === 0 && to !== undefined ? (
                    <Link to={to(row)} class="row-link" onGo={(page) => leaveBy(key, page)}>
                      {safely(field.show(row))}
                    </Link>
                  ) : (
                    safely(field.show(row))
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

const classOf = <Row,>({ kind, phone }: Field<Row>): string =>
  [kind && `is-${kind}`, phone && `phone-${phone}`].filter(Boolean).join(" ");

/** Goes back to a row: it is seen, and has the focus. @returns whether it is there. */
export function standAt(row: string): boolean {
  const found = [...document.querySelectorAll<HTMLElement>("[data-row]")].find(
    ({ dataset }) => dataset.row === row,
  );
  found?.scrollIntoView({ block: "center" });
  found?.querySelector<HTMLElement>(".row-link")?.focus({ preventScroll: true });
  return found !== undefined;
}

interface FiguresProps {
  of: readonly (readonly [name: string, shown: ComponentChildren, look?: string])[];
}

export const Figures = ({ of: figures }: FiguresProps) => (
  <dl class="figures">
    {figures.map(([name, shown, look = ""]) => (
      <div key={name} class={look}>
        <dt>{name}</dt>
        <dd>{shown}</dd>
      </div>
    ))}
  </dl>
);
