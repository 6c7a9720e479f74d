import { randomUUID } from "node:crypto";
import { CollectionApiError, CollectionClient } from "../collection-api/index.ts";
import { messageOf } from "../kit/errors.ts";
import type { Source } from "../kit/sources.ts";
import type { Check } from "./check.ts";

/**
 * Asks the provider with the source's key for its collections or, where it has none, for an invoice that
 * cannot exist.
 */
export async function* checkProvider(source: Source, timeoutMs: number): AsyncGenerator<Check> {
  const about = `provider of ${source.name}`;
  const client = new CollectionClient({
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs,
    retries: 0,
  });
  try {
    if (source.collectionIds.length === 0) yield await checkKey(client, about);
    for (const id of source.collectionIds) yield await checkCollection(client, id, about);
  } finally {
    await client.close();
  }
}

async function checkKey(client: CollectionClient, about: string): Promise<Check> {
  try {
    await client.getInvoice(randomUUID());
    return {
      about,
      state: "warning",
      says: "it knows an invoice whose id was just made up: is this the right API?",
    };
  } catch (error) {
    if (error instanceof CollectionApiError && error.kind === "not_found")
      return { about, state: "ok", says: "it answers, and takes the key" };
    return { about, state: "fault", says: wordsFor(error), away: isAway(error) };
  }
}

async function checkCollection(client: CollectionClient, id: string, about: string): Promise<Check> {
  try {
    const { collectionName, status } = await client.getCollection(id);
    const named = `the key opens collection "${collectionName}"`;
    return status === null || status.toLowerCase() === "active"
      ? { about, state: "ok", says: named }
      : { about, state: "warning", says: `${named}, whose status is ${status}` };
  } catch (error) {
    const missing = error instanceof CollectionApiError && error.kind === "not_found";
    return {
      about,
      state: "fault",
      says: missing ? `it does not know collection ${id}. Check COLLECTION_IDS` : wordsFor(error),
      away: isAway(error),
    };
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof CollectionApiError && error.code === "provider_away";

function wordsFor(error: unknown): string {
  if (!(error instanceof CollectionApiError)) return messageOf(error);
  if (error.kind === "key_refused")
    return `it refuses the key. Check COLLECTION_API_KEY; does it allow this address? ${error.message}`;
  if (error.kind === "wrong_key_kind")
    return (
      "it knows the key, which is of the wrong kind. Check COLLECTION_API_KEY: Live or Test? " +
      `${error.message}`
    );
  if (error.kind === "collection_closed")
    return `it takes the key, but the collection is closed. ${error.message}`;
  return `${error.message} Check COLLECTION_API_URL.`;
}
