import type { ComponentChildren } from "preact";
import type { Field, List, Value, View } from "../../../../operations/views/view.ts";
import { sources } from "../api/client.ts";
import { Link } from "../kit/router.tsx";
import { capital, countText, visibleText } from "../kit/text.ts";
import { Copy, Id, Section } from "./page.tsx";
import { RemedyShown } from "./remedies.tsx";
import { Badge, Money, None, Outside, Raw, ShortId, Time } from "./values.tsx";
import { sayHere } from "./words.ts";

/** A column that a page draws by itself. */
interface Drawn<Row> extends Pick<Field<Row>, "label" | "isLong" | "phone"> {
  kind?: "count";
  /** null: details leave it out. */
  show: (row: Row) => ComponentChildren;
}

/** Something that is known of a row: a column of its list, a line of its details. */
export type Column<Row> = Field<Row> | Drawn<Row>;

/** The page of what an id names. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  invoice: (id) => `payments/${id}`,
  callback: (id) => `callbacks/${id}`,
  replay: (id) => `replays/${id}`,
  dead_letter: () => "attention/dead",
  quarantined_invoice: (id) => `payments/${id}`,
  refused_callbacks: () => "attention/refused",
  certificate: () => "completeness",
  collection: () => "completeness",
  upstream: () => "",
};

/** @returns undefined where there is none. */
export function pageOf<Row>(row: Row, field: Field<Row>): string | undefined {
  const thing = typeof field.of === "function" ? field.of(row) : field.of;
  return PAGES[thing ?? ""]?.(encodeURIComponent(String(field.value(row))));
}

const isId = (text: string) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text);

/** A value in the way of its kind; a dash where there is none. @param isWhole in details, which have space */
function Shown<Row>({ row, field, isWhole = false }: { row: Row; field: Field<Row>; isWhole?: boolean }) {
  const note = field.note?.(row);
  const remedy = isMissing(field.value(row)) ? null : field.remedy?.(row);
  return (
    <>
      <Bare {...{ row, field, isWhole }} />
      {note && (
        <small>
          {" "}
          <Outside text={note} />
        </small>
      )}
      {remedy && (
        <span class="block">
          <RemedyShown of={remedy} />
        </span>
      )}
    </>
  );
}

function Bare<Row>({ row, field, isWhole }: { row: Row; field: Field<Row>; isWhole: boolean }) {
  const value = field.value(row);
  if (isMissing(value)) return <None />;
  if (typeof value === "number") return countText(value);
  const [first = "", ...others] = Array.isArray(value) ? value.map(String) : [String(value)];
  const page = pageOf(row, field);
  const shown = <Text {...{ row, field, isWhole }} text={first} />;
  return (
    <>
      {page === undefined ? shown : <Link to={page}>{shown}</Link>}
      {others.length > 0 && ` and ${others.length} more`}
    </>
  );
}

function Text<Row>({
  row,
  field,
  isWhole,
  text,
}: {
  row: Row;
  field: Field<Row>;
  isWhole: boolean;
  text: string;
}) {
  const { kind, label } = field;
  const { source, currency } = row as { source?: string; currency?: string };
  if (kind === "time") return <Time at={text} isWhole={isWhole} />;
  if (kind === "state") return <Badge state={text} />;
  if (kind === "money") return <Money amount={text} of={source} in={currency} />;
  if (kind === "words") return withCode(capital(sayHere(text)));
  if (kind === "id" && isWhole) return <Id id={text} of={label.toLowerCase()} />;
  return kind === "id" || (field.of !== undefined && isId(text)) ? (
    <ShortId id={text} />
  ) : (
    <Outside text={text} />
  );
}

/** Between backticks is code. */
const withCode = (words: string) =>
  words.split("`").map((part, at) => {
    const shown = <Outside key={at} text={part} />;
    return at % 2 === 1 ? <code key={at}>{shown}</code> : shown;
  });

const isMissing = (value: Value) =>
  value == null || value === "" || (Array.isArray(value) && value.length === 0);

/** A text is shown as what others may have written: nothing hides in it. */
const safely = (shown: ComponentChildren) => (typeof shown === "string" ? <Outside text={shown} /> : shown);

const draw = <Row,>(row: Row, column: Column<Row>, isWhole = false) =>
  "show" in column ? safely(column.show(row)) : <Shown row={row} field={column} isWhole={isWhole} />;

const isThere = <Row,>(row: Row, column: Column<Row>) =>
  "show" in column ? column.show(row) !== null : !isMissing(column.value(row));

export const Facts = <Row,>({ of, fields }: { of: Row; fields: readonly Column<Row>[] }) => (
  <dl class="facts">
    {fields.map(
      (field) =>
        isThere(of, field) && (
          <div key={field.label}>
            <dt>{field.label}</dt>
            <dd>{draw(of, field, true)}</dd>
          </div>
        ),
    )}
  </dl>
);

/** A result as its view has it: facts, what is long, lists. @param name of which of several it is */
export function Result<Of>({ of, view, name = "" }: { of: Of; view: View<Of>; name?: string }) {
  const { says, facts = [], lists = [], each } = view;
  const said = says?.(of) ?? "";
  const long = facts.filter((field) => field.kind === "raw" && isThere(of, field));
  const short = facts.filter(({ kind }) => kind !== "raw");
  const several = each?.rows(of) ?? [];
  return (
    <>
      {said !== "" && (
        <p role="status">
          <Outside text={said} />
        </p>
      )}
      {short.length > 0 && (
        <div class="sheet">
          <Facts of={of} fields={short} />
        </div>
      )}
      {long.map((field) => {
        const text = String(field.value(of));
        return (
          <Section
            key={field.label}
            title={field.label + name}
            aside={<Copy text={text} what={field.label} />}
          >
            <Raw text={text} />
          </Section>
        );
      })}
      {several.map((one, index) => (
        <Result
          key={index}
          of={one as never}
          view={each?.of ?? {}}
          name={several.length > 1 ? `, ${visibleText(String((one as { source: string }).source))}` : ""}
        />
      ))}
      {lists.map((list) => (
        <ListIn key={list.title} of={of} list={list} name={name} />
      ))}
    </>
  );
}

function ListIn<Of>({ of, list, name }: { of: Of; list: List<Of>; name: string }) {
  const rows = list.rows(of) as never[];
  const { one, id, columns, none } = list.of;
  const title = list.title ?? one;
  if (rows.length === 0 && none === undefined) return null;
  return (
    <Section title={title + name}>
      {rows.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <Table caption={title} fields={id === undefined ? columns : [id, ...columns]} rows={rows} />
      )}
    </Section>
  );
}

export interface TableProps<Row> {
  /** The list's title, for screen readers. */
  caption: string;
  fields: readonly Column<Row>[];
  rows: readonly Row[];
  /** The place of a row when left out. */
  keyOf?: (row: Row) => string;
  /** The name of a row, where its first column says nothing. */
  id?: Field<Row> | undefined;
  /** Where a row leads: the first column becomes the link, and the whole row can be clicked. */
  to?: ((row: Row) => string) | undefined;
  choice?: {
    /** `keyOf` of those that are chosen. */
    chosen: ReadonlySet<string>;
    onChoose: (chosen: ReadonlySet<string>) => void;
    /** The name of a row at its check box, for screen readers. */
    nameOf: (row: Row) => string;
  };
}

export function Table<Row>({ caption, fields: all, rows, id, to, choice, ...props }: TableProps<Row>) {
  const { keyOf = (row) => String(rows.indexOf(row)) } = props;
  const fields = all.filter(
    (field, index) =>
      !("kind" in field && field.kind === "source" && sources.value.length < 2) &&
      (index === 0 || rows.some((row) => isThere(row, field))),
  );
  const chosen = choice?.chosen;
  const choose = (keys: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const key of keys) {
      if (isChosen) next.add(key);
      else next.delete(key);
    }
    choice?.onChoose(next);
  };
  const keys = rows.map(keyOf);
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
                checked={keys.length > 0 && keys.every((key) => chosen.has(key))}
                onChange={(event) => choose(keys, event.currentTarget.checked)}
              />
            </th>
          )}
          {fields.map((field) => (
            <th key={field.label} role="columnheader" scope="col" class={classOf(field)}>
              {field.label}
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
              {fields.map((field, index) => (
                <td key={field.label} role="cell" class={classOf(field)} data-name={field.label}>
                  {index === 0 && to !== undefined ? (
                    <Link to={to(row)} class="row-link">
                      {isThere(row, field) || id === undefined ? draw(row, field) : draw(row, id)}
                    </Link>
                  ) : (
                    draw(row, field)
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

const classOf = <Row,>({ kind, isLong, phone, ...field }: Column<Row>): string =>
  [
    (kind === "count" || kind === "money") && "is-number",
    isLong ? "is-wide" : "note" in field && "is-text",
    phone && `phone-${phone}`,
  ]
    .filter(Boolean)
    .join(" ");
