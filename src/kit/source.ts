import { z } from "zod";
import { callbackChecksSchema } from "./callback-checks.ts";
import type { Secret } from "./secret.ts";
import { secret, sourceName, topicArn, url, urlToken } from "./setting-formats.ts";

/**
 * One merchant account as SOURCES_FILE describes it: its key, the tokens of its callback URLs, the topics of
 * its events.
 * @param kept reads a secret, written out or named.
 */
export function sourceSchema(kept: (format: z.ZodType<Secret, string>) => z.ZodType<Secret, string>) {
  const several = (format: z.ZodType<Secret, string>): z.ZodType<readonly Secret[]> =>
    z.array(kept(format)).min(1, "should name at least one");
  return z.strictObject({
    name: sourceName,
    collectionApiUrl: url,
    collectionApiKey: kept(secret(1)),
    /** Only invoices of these collections are published; empty for no restriction. */
    collectionIds: z.array(z.uuid("should be a collection's id (UUID)").toLowerCase()).readonly().default([]),
    callbackTokens: several(urlToken),
    callbackChecks: callbackChecksSchema(several).prefault({}),
    snsTopicArn: topicArn,
    /** null: events of Test invoices are held. */
    snsTestTopicArn: topicArn.nullable().default(null),
  });
}

export type Source = Readonly<z.output<ReturnType<typeof sourceSchema>>>;
