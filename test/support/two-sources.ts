import type { Harness } from "./relay.ts";
import { sourcesFile } from "./sources-file.ts";

export const TOKENS = { a: "token-of-a-0123456789abc", b: "token-of-b-0123456789abc" };
export const LISTS = {
  a: "c0113c70-0000-4000-8000-00000000000a",
  b: "c0113c70-0000-4000-8000-00000000000b",
};

/**
 * The settings of a relay for two merchants, who share a provider, where each key opens its own invoices
 * only.
 * @param changes what else is to be said of each; those that it names are the sources.
 */
export function twoSources(
  harness: Harness,
  changes: { a?: object; b?: object } = { a: {}, b: {} },
): Record<string, string | undefined> {
  const source = (name: "a" | "b", snsTopicArn: string) => ({
    name,
    collectionApiUrl: harness.provider.url,
    collectionApiKey: `env:KEY_${name.toUpperCase()}`,
    callbackTokens: [TOKENS[name]],
    snsTopicArn,
    ...changes[name],
  });
  const sources = [source("a", harness.topicArn), source("b", harness.testTopicArn)].filter(
    ({ name }) => name in changes,
  );
  return harness.environment({
    ...describedIn(sourcesFile({ sources })),
    KEY_A: "key-of-a",
    KEY_B: "key-of-b",
  });
}

/** The sources stand in this file, and not in the settings of the one source. */
export const describedIn = (file: string) => ({
  ...{ COLLECTION_API_URL: undefined, COLLECTION_API_KEY: undefined, CALLBACK_TOKENS: undefined },
  ...{ SNS_TOPIC_ARN: undefined, SOURCES_FILE: file },
});
