import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import type { Check } from "./check.ts";
import { destinationKindOf } from "./destinations.ts";

/** Each topic once: it is there, in the region, and somebody is subscribed. */
export async function* checkTopics(
  sources: readonly Source[],
  settings: ServeSettings,
): AsyncGenerator<Check> {
  const { check } = destinationKindOf(settings);
  const live = new Set(sources.map((source) => source.snsTopicArn));
  const test = new Set(sources.flatMap((source) => source.snsTestTopicArn ?? []));
  yield* await Promise.all([
    ...[...live].map((arn) => check(arn, "topic", settings)),
    ...[...test].map((arn) => check(arn, "test topic", settings)),
  ]);
  for (const source of sources) {
    if (source.snsTestTopicArn === null)
      yield {
        about: "test topic",
        state: "ok",
        says: `${source.name} has none: events of Test invoices are held, not published`,
      };
  }
}
