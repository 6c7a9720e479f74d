import { type Kysely, sql } from "kysely";

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  /** `default` where Postgres fills it when nothing is given, `always` where nothing may be given. */
  filled: "default" | "always" | null;
  /** The texts that a CHECK allows; null when any will do. */
  allowed: string[] | null;
}

/** How `connect` reads each type. */
const TYPES: Record<string, string> = {
  uuid: "string",
  text: "string",
  numeric: "string",
  date: "string",
  "timestamp with time zone": "Date",
  integer: "number",
  bigint: "number",
  "double precision": "number",
  boolean: "boolean",
  bytea: "Buffer",
  json: "unknown",
  jsonb: "unknown",
  "uuid[]": "string[]",
  "integer[]": "number[]",
  tstzrange: "string",
};

/** What a document holds, Postgres does not know. */
const DOCUMENTS: Record<string, string> = { "callback.headers": "[name: string, value: string][]" };

const CHECKED = /^CHECK \(\(\(?(\w+) = ANY \(\(?ARRAY\[(.+)\]\)?(?:::text\[\])?\)\)\)?\)$/;

/** `src/database/tables.ts`, as the migrated database says it. */
export async function describeTables<Schema>(db: Kysely<Schema>): Promise<string> {
  const columns = await readColumns(db);
  const names = [...new Set(columns.map(({ table }) => table))];
  const tables = names.map((table) => {
    const lines = columns.filter((column) => column.table === table).map(lineOf);
    return `  ${table}: {\n${lines.join("")}  };\n`;
  });
  return `// Generated from the migrated database. Anew: npx vitest run --project relay test/database -u
import type { Generated, GeneratedAlways } from "kysely";

/** The relay's tables, as \`migrations/relay\` makes them. */
export interface Tables {
${tables.join("")}}
`;
}

function lineOf({ table, name, type, nullable, filled, allowed }: Column): string {
  const base =
    DOCUMENTS[`${table}.${name}`] ?? allowed?.map((text) => JSON.stringify(text)).join(" | ") ?? TYPES[type];
  if (base === undefined) throw new Error(`No type of TypeScript for ${type}, of ${table}.${name}`);
  const whole = nullable && base !== "unknown" ? `${base} | null` : base;
  const wrapper = { default: "Generated", always: "GeneratedAlways" };
  return `    ${name}: ${filled === null ? whole : `${wrapper[filled]}<${whole}>`};\n`;
}

async function readColumns<Schema>(db: Kysely<Schema>): Promise<Column[]> {
  const { rows: columns } = await sql<Omit<Column, "allowed">>`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type,
      not attnotnull as nullable,
      case when attidentity = 'a' then 'always' when atthasdef then 'default' end as filled
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and relname !~ '^callback_(default|\\d{4}_\\d{2})$' and relname !~ '^kysely_'
    order by relname collate "C", attnum`.execute(db);
  const { rows: checks } = await sql<{ table: string; definition: string }>`
    select relname as table, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid where contype = 'c'`.execute(db);
  const allowed = new Map<string, string[]>();
  for (const { table, definition } of checks) {
    const [, column, list] = CHECKED.exec(definition) ?? [];
    if (column !== undefined && list !== undefined)
      allowed.set(
        `${table}.${column}`,
        [...list.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text),
      );
  }
  return columns.map((column) => ({
    ...column,
    allowed: allowed.get(`${column.table}.${column.name}`) ?? null,
  }));
}
