import type { ComponentChildren } from "preact";
import { countText } from "../kit/text.ts";
import { Badge, Money, None, Outside, Time, type TimeStyle } from "./values.tsx";

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

/** What somebody else may have written. */
export const textField = <Key extends string>(
  name: string,
  key: Key,
  look: Look = {},
): Field<With<Key, string | null>> => ({ name, show: (row) => <Outside text={row[key]} />, ...look });

export const timeField = <Key extends string>(
  name: string,
  key: Key,
  { as = "short", ...look }: Look & { as?: TimeStyle } = {},
): Field<With<Key, string | null>> => ({ name, show: (row) => <Time at={row[key]} as={as} />, ...look });

export const moneyField = <Key extends string>(
  name: string,
  key: Key,
  look: Look = {},
): Field<With<Key, string | null>> => ({
  name,
  show: (row) => <Money amount={row[key]} />,
  kind: "number",
  ...look,
});

export const stateField = <Key extends string>(
  name: string,
  key: Key,
  look: Look = {},
): Field<With<Key, string | null>> => ({ name, show: (row) => <Badge state={row[key]} />, ...look });

export const countField = <Key extends string>(
  name: string,
  key: Key,
  { none = <None />, ...look }: Look & { none?: ComponentChildren } = {},
): Field<With<Key, number | null>> => ({
  name,
  show: ({ [key]: count }) => (count === null ? none : countText(count)),
  kind: "number",
  ...look,
});

/** Names and what they are, in two columns. */
export function Facts<Row>({ of, fields }: { of: Row; fields: readonly Field<Row>[] }) {
  return (
    <dl class="facts">
      {fields.map(({ name, show }, index) => {
        const shown = show(of);
        return (
          shown !== null && (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{shown}</dd>
            </div>
          )
        );
      })}
    </dl>
  );
}
