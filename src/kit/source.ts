import type { Secret } from "./secret.ts";

/** One merchant account at the provider: its key, the tokens of its callback URLs, the topics of its events. */
export interface Source {
  readonly name: string;
  readonly collectionApiUrl: string;
  readonly collectionApiKey: Secret;
  /** Only invoices of these collections are published; empty for no restriction. */
  readonly collectionIds: readonly string[];
  readonly reconciliation: Reconciliation;
  readonly callbackTokens: readonly Secret[];
  readonly callbackChecks: CallbackChecks;
  readonly snsTopicArn: string;
  /** null: events of Test invoices are held. */
  readonly snsTestTopicArn: string | null;
}

/** `none`: COLLECTION_IDS says that nothing is reconciled; `unset`: nobody has said anything. */
export type Reconciliation = "on" | "none" | "unset";

/** @param collectionIds undefined when left out. */
export const reconciliationOf = (collectionIds: readonly string[] | undefined): Reconciliation =>
  collectionIds === undefined ? "unset" : collectionIds.length === 0 ? "none" : "on";

/** What a callback must prove beyond its token, for when the provider offers it. All that are there must hold. */
export interface CallbackChecks {
  /** An HMAC over the raw bytes; hex or base64 behind `prefix`, in a header. */
  readonly hmac: {
    readonly header: string;
    readonly algorithm: "sha256" | "sha512";
    readonly prefix: string;
    readonly secrets: readonly Secret[];
  } | null;
  readonly headerToken: { readonly header: string; readonly tokens: readonly Secret[] } | null;
  /** Secrets as Standard Webhooks writes them: `whsec_` and base64. */
  readonly standardWebhooks: { readonly secrets: readonly Secret[] } | null;
  /** Addresses and blocks (CIDR); empty for anyone. */
  readonly allowedAddresses: readonly string[];
}
