import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Source } from "../kit/sources.ts";
import type { Route } from "../publish/claim-events.ts";

/** Makes the rows that sources and topics keep their state in; `first_served_at` is set once and stays. */
export async function register(db: Kysely<Tables>, sources: readonly Source[]): Promise<void> {
  const names = sources.map((source) => source.name);
  const topics = [...new Set(routesOf(sources).map((route) => route.topicArn))];
  await sql`
    insert into source (name, first_served_at) select name, clock_timestamp() from unnest(${names}::text[]) as given (name) order by name
    on conflict (name) do update set first_served_at = excluded.first_served_at where source.first_served_at is null`.execute(
    db,
  );
  await sql`insert into topic (arn) select arn from unnest(${topics}::text[]) as given (arn) order by arn on conflict do nothing`.execute(
    db,
  );
}

/** Which events go where. Test events of a source without a test topic are held, so they have no route. */
export function routesOf(sources: readonly Source[]): Route[] {
  return sources.flatMap((source) => [
    { source: source.name, invoiceType: "Live" as const, topicArn: source.snsTopicArn },
    ...(source.snsTestTopicArn === null
      ? []
      : [{ source: source.name, invoiceType: "Test" as const, topicArn: source.snsTestTopicArn }]),
  ]);
}
