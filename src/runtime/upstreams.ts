import type { Route } from "../pipeline/publish/index.ts";
import { describedSources, type Settings, type Source } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import { notFoundError } from "../platform/errors/index.ts";
import { step } from "../platform/process/index.ts";
import { registerUpstreams } from "../platform/upstreams/index.ts";
import type { Served } from "../platform/worker/index.ts";

/** Makes the rows in which the sources and topics of the settings keep their state. */
export async function register(db: Database, sources: readonly Source[]): Promise<void> {
  step("upstreams to be registered");
  await registerUpstreams(db, { sources: sources.map(({ name }) => name), topics: topicArnsOf(sources) });
  step("upstreams registered");
}

/** What the settings name. */
export const servedBy = (sources: readonly Source[]): Served => ({
  sources: Object.fromEntries(sources.map(({ name, collectionIds }) => [name, collectionIds])),
  topics: topicArnsOf(sources),
});

const topicArnsOf = (sources: readonly Source[]): string[] => [
  ...new Set(routesOf(sources).map(({ topicArn }) => topicArn)),
];

/** Which events go where. Test events of a source without a test topic are held, so they have no route. */
export function routesOf(sources: readonly Source[]): Route[] {
  return sources.flatMap((source) => [
    { source: source.name, invoiceType: "Live" as const, topicArn: source.snsTopicArn },
    ...(source.snsTestTopicArn === null
      ? []
      : [{ source: source.name, invoiceType: "Test" as const, topicArn: source.snsTestTopicArn }]),
  ]);
}

/** The topics that events of a source go to. @throws RelayError when the settings name no such source. */
export function topicsOf(settings: Settings, source: string): string[] {
  const sources = describedSources(settings);
  const found = sources.find(({ name }) => name === source);
  if (found === undefined)
    throw notFoundError(
      `The settings name no source "${source}". Known: ${sources.map(({ name }) => name).join(", ")}.`,
    );
  return [found.snsTopicArn ?? null, found.snsTestTopicArn].filter((arn) => arn !== null);
}
