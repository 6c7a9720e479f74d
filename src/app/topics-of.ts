import { RelayError } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";

/** The topics that events of a source go to. @throws RelayError when the settings name no such source. */
export function topicsOf(settings: Settings, source: string): string[] {
  const sources = settings.sourcesInFile ?? [
    {
      name: "default",
      snsTopicArn: settings.SNS_TOPIC_ARN ?? null,
      snsTestTopicArn: settings.SNS_TEST_TOPIC_ARN ?? null,
    },
  ];
  const found = sources.find(({ name }) => name === source);
  if (found === undefined)
    throw new RelayError(
      `The settings name no source "${source}". Known: ${sources.map(({ name }) => name).join(", ")}.`,
      { code: "usage" },
    );
  return [found.snsTopicArn, found.snsTestTopicArn].filter((arn) => arn !== null);
}
