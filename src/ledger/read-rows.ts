import { type RawBuilder, sql } from "kysely";
import { nullable, returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { KINDS, type Kind, SHARED } from "./kinds.ts";
import { END_OF_TIMES, FIRST_TIME, microsOf, timeOfMicros, timeText } from "./moments.ts";

/** A row that a leaf covers: each column as the leaf says it, the body of a callback as bytes. */
export interface LedgerRow {
  source: string;
  key: string;
  /** Its version: the time of the kind. */
  at: string;
  values: Readonly<Record<string, string | Buffer | null>>;
  /** The transaction that wrote it, in 32 bits. */
  writer: number;
}

interface Range {
  /** Inclusive, as Postgres reads times. */
  from: string;
  /** Exclusive; null: however late. */
  to: string | null;
  limit: number;
  /** On rows of the table, named `known`; those of the kind by default. */
  where?: RawBuilder<unknown>;
}

/** Rows are read until their contents weigh so much, so that memory stays bounded. */
const BYTES_AT_ONCE = 8_000_000;

const isRaw = ({ columns, erasable = [] }: Kind, name: string) =>
  columns[name] === "bytes" && erasable.includes(name);

function selected(kind: Kind, name: string): RawBuilder<unknown> {
  const ref = sql.ref(`known.${name}`);
  if (isRaw(kind, name)) return ref;
  if (kind.columns[name] === "uuids") return sql`array_to_string(${ref}, ' ')`;
  return kind.columns[name] === "bytes" ? sql`encode(${ref}, 'hex')` : sql`${ref}::text`;
}

/** Rows of the same time stay together, whatever the limit. */
const selectRows = (kind: Kind) => {
  const time = sql.ref(`known.${kind.time}`);
  const names = Object.keys(kind.columns);
  const lengths = (kind.erasable ?? []).map(
    (name) => sql`coalesce(octet_length(${selected(kind, name)}), 0)`,
  );
  const weight =
    lengths.length === 0 ? sql`0::bigint` : sql`sum(${sql.join(lengths, sql` + `)}) over (order by ${time})`;
  const types = names.map((name) => [
    name,
    isRaw(kind, name) ? nullable(returned.bytes) : nullable(returned.text()),
  ]);
  return new VaryingStatement(
    { "@read": returned.count, "@writer": returned.text(), ...Object.fromEntries(types) },
    ({ from, to, limit, where = kind.rows ?? sql`true` }: Range) => sql`
      select "@read", "@writer", ${sql.join(names.map((name) => sql`${selected(kind, name)} as ${sql.id(name)}`))}
      from (
        select *, count(*) over () as "@read", ${weight} as "@weight", min(${time}) over () as "@first"
        from (
          select known.*, known.xmin::text as "@writer" from ${sql.table(kind.table)} as known
          where ${time} >= ${from}::timestamptz
            and ${to === null ? sql`true` : sql`${time} < ${to}::timestamptz`} and ${where}
          order by ${time} fetch first (${limit}::int) rows with ties) as known) as known
      where "@weight" <= ${sql.lit(BYTES_AT_ONCE)} or ${time} = "@first"
      order by ${time}`,
    [
      { from: "", to: "", limit: 1 },
      { from: "", to: null, limit: 1 },
    ],
  );
};

const SELECTS = new Map(KINDS.map((kind) => [kind, selectRows(kind)]));

/**
 * The next rows of a kind, by their time.
 * @returns `more`: the range may hold more of them, later than the last.
 */
export async function readRows(
  db: Database,
  kind: Kind,
  range: Range,
): Promise<{ rows: LedgerRow[]; more: boolean }> {
  const found = (await SELECTS.get(kind)?.execute(db, range)) ?? [];
  const read = Number(found[0]?.["@read"] ?? 0);
  return { rows: found.map((one) => rowOf(kind, one)), more: read >= range.limit || found.length < read };
}

/** All rows of a kind that are such and may have a leaf, in the order of their times. @param where on `known`, by an index. */
export async function* rowsWhere(
  db: Database,
  kind: Kind,
  where: RawBuilder<unknown>,
): AsyncGenerator<LedgerRow> {
  for (let from = FIRST_TIME; ; ) {
    const { rows, more } = await readRows(db, kind, { from, to: END_OF_TIMES, limit: 1_000, where });
    yield* rows;
    const last = rows.at(-1);
    if (!more || last === undefined) return;
    from = timeOfMicros(microsOf(last.at) + 1);
  }
}

function rowOf(kind: Kind, found: Record<string, unknown>): LedgerRow {
  const values = found as Record<string, string | Buffer | null>;
  for (const [name, type] of Object.entries(kind.columns))
    if (type === "time" && values[name] !== null) values[name] = timeText(String(values[name]));
  return {
    source: kind.isShared ? SHARED : String(values.source),
    key: Object.keys(kind.key)
      .map((name) => values[name])
      .join("/"),
    at: String(values[kind.time]),
    values,
    writer: Number(values["@writer"]),
  };
}

const selectFirst = (kind: Kind) =>
  new VaryingStatement(
    { at: nullable(returned.text()) },
    () => sql`
      select min(${sql.ref(kind.time)})::text as at from ${sql.table(kind.table)}
      where ${sql.ref(kind.time)} >= ${FIRST_TIME}::timestamptz and ${sql.ref(kind.time)} < ${END_OF_TIMES}::timestamptz`,
    [undefined],
  );

const FIRSTS = KINDS.map(selectFirst);

/** The time of the oldest row, of those that may get a leaf; null when there is none. */
export async function readFirstTime(db: Database): Promise<string | null> {
  const times: string[] = [];
  for (const select of FIRSTS) {
    const [row] = await select.execute(db, undefined);
    if (row?.at) times.push(timeText(row.at));
  }
  return times.sort()[0] ?? null;
}

const CASTS = { uuid: sql`::uuid`, number: sql`::bigint`, text: sql`::text` } as const;

/** The row with this key as it is now; null when there is none. @param time where it is looked up by that. */
export async function readRow(
  db: Database,
  kind: Kind,
  source: string,
  key: string,
  time?: string,
): Promise<LedgerRow | null> {
  const texts = keyTexts(kind, key);
  const where = sql.join(
    [
      kind.isShared ? sql`true` : sql`known.source = ${source}`,
      ...Object.entries(kind.key).map(
        ([name, part], index) => sql`${sql.ref(`known.${name}`)} = ${texts[index]}${CASTS[part]}`,
      ),
    ],
    sql` and `,
  );
  const at = kind.timeInKey ? (time ?? timeInId(key)) : null;
  const [from, to] = at === null ? ["-infinity", null] : [at, timeOfMicros(microsOf(at) + 1)];
  const { rows } = await readRows(db, kind, { from, to, limit: 1, where });
  return rows[0] ?? null;
}

/** Later ones have a fifth digit in their year, which Postgres does not read. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** The time inside a UUIDv7; null of any other id, which somebody else wrote into the table. */
function timeInId(id: string): string | null {
  const ms = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  return id[14] === "7" && ms <= LAST_MS ? timeOfMicros(ms * 1_000) : null;
}

/** The parts of a key: only the last one may hold a slash. */
export function keyTexts(kind: Kind, key: string): string[] {
  if (Object.keys(kind.key).length === 1) return [key];
  const end = key.indexOf("/");
  return [key.slice(0, end), key.slice(end + 1)];
}
