import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Source } from "../kit/source.ts";
import type { Route } from "../outbox/event.ts";
import { registerUpstreams } from "../upstreams/source-row.ts";

/** Makes the rows that the sources and topics of the settings keep their state in. */
export async function register(db: Kysely<Tables>, sources: readonly Source[]): Promise<void> {
  await registerUpstreams(db, {
    sources: sources.map((source) => source.name),
    topics: [...new Set(routesOf(sources).map((route) => route.topicArn))],
  });
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
