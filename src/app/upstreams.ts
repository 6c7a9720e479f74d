import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Source } from "../kit/source.ts";
import { step } from "../kit/step.ts";
import type { Route } from "../outbox/event.ts";
import { closeAlarmsOfOthers } from "../upstreams/by-hand.ts";
import { registerUpstreams } from "../upstreams/source-row.ts";
import { SOURCE, TOPIC } from "../upstreams/upstream-kind.ts";

/**
 * Makes the rows in which the sources and topics of the settings keep their state. Alarms of those that the
 * settings no longer name are closed: nobody needs to see to them any more.
 */
export async function register(db: Kysely<Tables>, sources: readonly Source[]): Promise<void> {
  const names = sources.map((source) => source.name);
  const topics = [...new Set(routesOf(sources).map((route) => route.topicArn))];
  step("upstreams to be registered");
  await registerUpstreams(db, { sources: names, topics });
  step("upstreams registered");
  await closeAlarmsOfOthers(db, SOURCE, names);
  await closeAlarmsOfOthers(db, TOPIC, topics);
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
