import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import type { Check } from "./doctor-settings.ts";
import { destinationOf } from "./publishing.ts";

/** Each topic once: it is there, in the region, and somebody is subscribed. */
export async function* checkTopics(
  sources: readonly Source[],
  settings: ServeSettings,
): AsyncGenerator<Check> {
  const live = new Set(sources.map((source) => source.snsTopicArn));
  const test = new Set(sources.flatMap((source) => source.snsTestTopicArn ?? []));
  yield* await Promise.all([
    ...[...live].map((arn) => checkTopic(arn, "topic", settings)),
    ...[...test].map((arn) => checkTopic(arn, "test topic", settings)),
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

/** The topic is there, in the region, signs as consumers want it, and somebody is subscribed. */
async function checkTopic(arn: string, about: string, settings: ServeSettings): Promise<Check> {
  const [, , , region = ""] = arn.split(":");
  if (region !== settings.AWS_REGION) {
    const says = `${arn} is in ${region}, and AWS_REGION is ${settings.AWS_REGION}. They must be the same`;
    return { about, state: "fault", says };
  }
  const destination = destinationOf(settings, 1);
  const found = await destination.describe(arn);
  destination.close();
  switch (found.kind) {
    case "there":
      if (found.signatureVersion !== "2")
        return {
          about,
          state: "warning",
          says:
            `${arn} signs its messages with SHA-1, which consumers refuse. Set the topic's ` +
            "SignatureVersion to 2",
        };
      return found.subscriptions > 0
        ? { about, state: "ok", says: `${arn}, subscribed to by ${found.subscriptions}` }
        : { about, state: "warning", says: `${arn} is there, and nobody is subscribed to it` };
    case "not_allowed":
      return {
        about,
        state: "warning",
        says:
          `${arn} could not be looked at: these credentials lack sns:GetTopicAttributes. Whether they may ` +
          "publish (sns:Publish) shows with the first event",
      };
    case "fault":
      return {
        about,
        state: "fault",
        says: `${arn}: ${found.error}. Check the topic, AWS_REGION and the AWS credentials`,
        away: found.away,
      };
  }
}
