import { callbackChecksOf } from "./callback-checks.ts";
import { type SERVE_REQUIRES, type Settings, SettingsError } from "./settings.ts";
import { reconciliationOf, type Source } from "./sources-file.ts";

export type { Source } from "./sources-file.ts";

type PerhapsMissing = "collectionApiUrl" | "collectionApiKey" | "callbackTokens" | "snsTopicArn";
type DescribedSource = Omit<Source, PerhapsMissing> & { [Name in PerhapsMissing]: Source[Name] | undefined };

/** Those of SOURCES_FILE, else `default`, of which variables may leave parts out. They hold secrets. */
export const describedSources = (settings: Settings): readonly DescribedSource[] =>
  settings.sourcesInFile ?? [
    {
      name: "default",
      collectionApiUrl: settings.COLLECTION_API_URL,
      collectionApiKey: settings.COLLECTION_API_KEY,
      collectionIds: settings.COLLECTION_IDS ?? [],
      reconciliation: reconciliationOf(settings.COLLECTION_IDS),
      callbackTokens: settings.CALLBACK_TOKENS,
      callbackChecks: callbackChecksOf(settings),
      snsTopicArn: settings.SNS_TOPIC_ARN,
      snsTestTopicArn: settings.SNS_TEST_TOPIC_ARN ?? null,
      booksTimeZone: settings.BOOKS_TIME_ZONE,
      currency: settings.CURRENCY,
    },
  ];

/** @throws SettingsError when the variables were not required and do not make a whole source. */
export const sourcesOf = (settings: Settings<(typeof SERVE_REQUIRES)[number]>): Source[] =>
  describedSources(settings).map((source) => {
    const { collectionApiUrl, collectionApiKey, callbackTokens, snsTopicArn } = source;
    if (collectionApiUrl && collectionApiKey && callbackTokens && snsTopicArn)
      return { ...source, collectionApiUrl, collectionApiKey, callbackTokens, snsTopicArn };
    throw new SettingsError([
      "COLLECTION_API_URL, COLLECTION_API_KEY, CALLBACK_TOKENS and SNS_TOPIC_ARN are needed, or a " +
        "SOURCES_FILE",
    ]);
  });

/** The currency of each source that the settings describe. */
export function currencyOf(settings: Settings): (source: string) => string | undefined {
  const currencies = new Map(describedSources(settings).map(({ name, currency }) => [name, currency]));
  return (source) => currencies.get(source);
}

/** null where the settings describe no source, as for a command that needs only the database. */
export function sourceNamesOf(settings: Settings): string[] | null {
  if (settings.sourcesInFile === null && settings.COLLECTION_API_KEY === undefined) return null;
  return describedSources(settings).map(({ name }) => name);
}
