import type { Secret } from "./secret.ts";
import type { SERVE_REQUIRES, Settings } from "./settings.ts";

/** One merchant account at the provider: its key, the tokens of its callback URLs, the topics of its events. */
export interface Source {
  readonly name: string;
  readonly collectionApiUrl: string;
  readonly collectionApiKey: Secret;
  /** Only invoices of these collections are published; empty for no restriction. */
  readonly collectionIds: readonly string[];
  readonly callbackTokens: readonly Secret[];
  readonly snsTopicArn: string;
  /** null: events of Test invoices are held. */
  readonly snsTestTopicArn: string | null;
}

/** The sources that the settings describe: the variables describe the one named `default`. */
export function sourcesOf(settings: Settings<(typeof SERVE_REQUIRES)[number]>): Source[] {
  return [
    {
      name: "default",
      collectionApiUrl: settings.COLLECTION_API_URL,
      collectionApiKey: settings.COLLECTION_API_KEY,
      collectionIds: (settings.COLLECTION_IDS ?? []).map((id) => id.toLowerCase()),
      callbackTokens: settings.CALLBACK_TOKENS,
      snsTopicArn: settings.SNS_TOPIC_ARN,
      snsTestTopicArn: settings.SNS_TEST_TOPIC_ARN ?? null,
    },
  ];
}
