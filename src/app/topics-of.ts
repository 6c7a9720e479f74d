import { RelayError } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";
import { describedSources } from "../kit/sources.ts";

/** The topics that events of a source go to. @throws RelayError when the settings name no such source. */
export function topicsOf(settings: Settings, source: string): string[] {
  const sources = describedSources(settings);
  const found = sources.find(({ name }) => name === source);
  if (found === undefined)
    throw new RelayError(
      `The settings name no source "${source}". Known: ${sources.map(({ name }) => name).join(", ")}.`,
      { code: "not_found" },
    );
  return [found.snsTopicArn ?? null, found.snsTestTopicArn].filter((arn) => arn !== null);
}
