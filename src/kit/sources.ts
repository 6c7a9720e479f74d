import { callbackChecksOf } from "./callback-checks.ts";
import type { Secret } from "./secret.ts";
import { type SERVE_REQUIRES, type Settings, SettingsError } from "./settings.ts";
import { reconciliationOf, type Source } from "./source.ts";

export type { Source } from "./source.ts";

/**
 * The sources that the settings describe: those of SOURCES_FILE, else the one named `default` that the
 * variables describe.
 * @throws SettingsError when the variables were not required and do not make a whole source.
 */
export function sourcesOf(settings: Settings<(typeof SERVE_REQUIRES)[number]>): readonly Source[] {
  if (settings.sourcesInFile !== null) return settings.sourcesInFile;
  const {
    COLLECTION_API_URL: collectionApiUrl,
    COLLECTION_API_KEY: collectionApiKey,
    CALLBACK_TOKENS: callbackTokens,
    SNS_TOPIC_ARN: snsTopicArn,
  } = settings;
  if (!collectionApiUrl || !collectionApiKey || !callbackTokens || !snsTopicArn)
    throw new SettingsError([
      "COLLECTION_API_URL, COLLECTION_API_KEY, CALLBACK_TOKENS and SNS_TOPIC_ARN are needed, or a " +
        "SOURCES_FILE",
    ]);
  return [
    {
      name: "default",
      collectionApiUrl,
      collectionApiKey,
      collectionIds: settings.COLLECTION_IDS ?? [],
      reconciliation: reconciliationOf(settings.COLLECTION_IDS),
      callbackTokens,
      callbackChecks: callbackChecksOf(settings),
      snsTopicArn,
      snsTestTopicArn: settings.SNS_TEST_TOPIC_ARN ?? null,
    },
  ];
}

/**
 * The names of the sources that the settings describe; null where they describe none, as for a command that
 * needs only the database.
 */
export function sourceNamesOf({ sourcesInFile, COLLECTION_API_KEY }: Settings): string[] | null {
  return sourcesInFile?.map(({ name }) => name) ?? (COLLECTION_API_KEY === undefined ? null : ["default"]);
}

/** The callback tokens of each source; a source `default` without any when the settings name none. */
export function callbackTokensOf(settings: Settings): { source: string; tokens: readonly Secret[] }[] {
  const { sourcesInFile, CALLBACK_TOKENS = [] } = settings;
  return (
    sourcesInFile?.map(({ name, callbackTokens }) => ({ source: name, tokens: callbackTokens })) ?? [
      { source: "default", tokens: CALLBACK_TOKENS },
    ]
  );
}
