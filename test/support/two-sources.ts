import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
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

/**
 * Settings in which both have a list that is read often. That of `a` ends after its first page, when `a` has
 * named a long wait.
 * @param reader what reads it then. Nothing else of `a` has made it wait before, or it would not begin.
 */
export async function listOfAWaits(
  harness: Harness,
  reader: "sweep" | "certificate",
): Promise<Record<string, string | undefined>> {
  const isReading = async () =>
    expect(
      await harness.query(`select from ${reader} where source = 'a' and state = 'claimed'`),
    ).toHaveLength(1);
  harness.provider.otherwise(async (request, response) => {
    const isA = request.headers["x-api-key"] === "key-of-a";
    const isList = request.url?.includes("/invoices?") === true;
    const slow = "opens_at = now() + interval '10 min', retry_at = now() + interval '10 min'";
    // A request that outlives the test finds its database gone.
    if (isA && isList) {
      await vi.waitFor(isReading, { interval: 20 }).catch(() => undefined);
      await harness.query(`update source set ${slow} where name = 'a'`).catch(() => undefined);
    }
    const [id, collectionName] = isA ? [LISTS.a, "Term 1"] : [LISTS.b, "Term 2"];
    const item = { id: randomUUID(), title: "Fees", status: "Unpaid", dateCreated: "2026-11-01T08:00:00Z" };
    const page = isA
      ? { items: [item], page: 1, pageSize: 1, totalCount: 2, hasNextPage: true }
      : { items: [], page: 1, pageSize: 50, totalCount: 0, hasNextPage: false };
    const data = isList ? { ...page, hasPreviousPage: false } : { id, collectionName };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ status: "success", message: "ok", data }));
  });
  await harness.query(
    "insert into source (name, first_served_at) select *, now() - interval '3 days' from unnest($1::text[])",
    [["a", "b"]],
  );
  const lists = { a: { collectionIds: [LISTS.a] }, b: { collectionIds: [LISTS.b] } };
  return { ...twoSources(harness, lists), RECONCILE_INTERVAL: "1s" };
}

/** The sources stand in this file, and not in the settings of the one source. */
export const describedIn = (file: string) => ({
  ...{ COLLECTION_API_URL: undefined, COLLECTION_API_KEY: undefined, CALLBACK_TOKENS: undefined },
  ...{ SNS_TOPIC_ARN: undefined, SOURCES_FILE: file },
});
