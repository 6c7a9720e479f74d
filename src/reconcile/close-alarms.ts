import { type Kysely, sql } from "kysely";
import { clearing } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";

/** Closes alarms about lists and certificates that the settings no longer name; nothing else would. */
export async function closeAlarmsOfUnlisted(
  db: Kysely<Tables>,
  sources: readonly { name: string; collectionIds: readonly string[] }[],
): Promise<void> {
  const listed = sources.filter(({ collectionIds }) => collectionIds.length > 0);
  const subjects = listed.flatMap(({ name, collectionIds }) =>
    collectionIds.map((subject) => ({ name, subject })),
  );
  await sql`${clearing(sql`
    name = 'sweep_failing' and (source, subject) not in (select * from unnest(
      ${subjects.map(({ name }) => name)}::text[], ${subjects.map(({ subject }) => subject)}::text[]))
    or name in ('certificate_gap', 'certificate_failing')
      and source <> all (${listed.map(({ name }) => name)}::text[])`)}`.execute(db);
}
