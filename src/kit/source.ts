import { z } from "zod";
import { callbackChecksSchema } from "./callback-checks.ts";
import type { Secret } from "./secret.ts";
import { anyUuid, baseUrl, secret, sourceName, topicArn, urlToken } from "./setting-formats.ts";

/**
 * One merchant account as SOURCES_FILE describes it: its key, the tokens of its callback URLs, the topics of
 * its events.
 * @param kept reads a secret, written out or named.
 */
export function sourceSchema(kept: (format: z.ZodType<Secret, string>) => z.ZodType<Secret, string>) {
  const several = (format: z.ZodType<Secret, string>): z.ZodType<readonly Secret[]> =>
    z.array(kept(format)).min(1, "should name at least one");
  const described = z.strictObject({
    name: sourceName,
    collectionApiUrl: baseUrl,
    collectionApiKey: kept(secret(1)),
    /** Only invoices of these collections are published; empty for no restriction. */
    collectionIds: z
      .preprocess((given) => (given === "none" ? [] : given), z.array(anyUuid).readonly())
      .optional(),
    callbackTokens: several(urlToken),
    callbackChecks: callbackChecksSchema(several).prefault({}),
    snsTopicArn: topicArn,
    /** null: events of Test invoices are held. */
    snsTestTopicArn: topicArn.nullable().default(null),
  });
  return described.transform(({ collectionIds, ...others }) => ({
    ...others,
    collectionIds: collectionIds ?? [],
    reconciliation: reconciliationOf(collectionIds),
  }));
}

/** `none`: COLLECTION_IDS says that nothing is reconciled; `unset`: nobody has said anything. */
export type Reconciliation = "on" | "none" | "unset";

/** @param collectionIds undefined when left out. */
export const reconciliationOf = (collectionIds: readonly string[] | undefined): Reconciliation =>
  collectionIds === undefined ? "unset" : collectionIds.length === 0 ? "none" : "on";

export type Source = Readonly<z.output<ReturnType<typeof sourceSchema>>>;
