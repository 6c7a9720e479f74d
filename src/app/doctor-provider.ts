import { randomUUID } from "node:crypto";
import { CollectionApiError, CollectionClient } from "../collection-api/index.ts";
import { newestInvoiceId } from "../confirm/invoices/read-invoices.ts";
import { SourceProof } from "../confirm/source-proof.ts";
import { connect } from "../database/connect.ts";
import { messageOf } from "../kit/errors.ts";
import type { Secret } from "../kit/secret.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { collectionApiProvider } from "../provider/collection-api-provider.ts";
import type { Check } from "./doctor-settings.ts";

/**
 * Asks the provider with the source's key for its collections or, where it has none, for an invoice that
 * cannot exist.
 */
export async function* checkProvider(
  source: Source,
  { CONFIRM_TIMEOUT: timeoutMs, DATABASE_URL }: ServeSettings,
): AsyncGenerator<Check> {
  const about = `provider of ${source.name}`;
  const account = {
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs,
    retries: 0,
  };
  const client = new CollectionClient(account);
  const provider = collectionApiProvider(account);
  try {
    const knownInvoiceId = () => storedInvoiceId(DATABASE_URL, source.name);
    const proof = new SourceProof({ provider, collectionIds: [], knownInvoiceId, timeoutMs });
    if (source.collectionIds.length === 0) yield await checkKey(client, proof, about);
    for (const id of source.collectionIds) yield await checkCollection(client, id, about);
  } finally {
    await Promise.all([client.close(), provider.close()]);
  }
}

/** A 404 alone proves nothing: any web server gives one. What proves more is what confirming asks for too. */
async function checkKey(client: CollectionClient, proof: SourceProof, about: string): Promise<Check> {
  try {
    await client.getInvoice(randomUUID());
    return {
      about,
      state: "warning",
      says: "it knows an invoice whose id was just made up: is this the right API?",
    };
  } catch (error) {
    if (!isNotFound(error)) return { about, state: "fault", says: wordsFor(error), away: isAway(error) };
    if (error.inEnvelope || (await proof.isProven()))
      return { about, state: "ok", says: "it answers, and takes the key" };
    return { about, state: "fault", says: `asked for an invoice that does not exist, ${NOT_ITS_WORDS}` };
  }
}

const NOT_ITS_WORDS =
  "it answers 404 as any web server does, and not as the Invoice Collection API. Check COLLECTION_API_URL";

/** An invoice that the provider knew once; null where there is none, or no database to look in. */
async function storedInvoiceId(url: Secret, source: string): Promise<string | null> {
  const { db, close } = connect(url, {
    max: 1,
    connectTimeoutMs: 5_000,
    applicationName: "invoice-relay doctor",
  });
  try {
    return await newestInvoiceId(db, source);
  } catch {
    return null;
  } finally {
    await close();
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
    if (!isNotFound(error)) return { about, state: "fault", says: wordsFor(error), away: isAway(error) };
    return {
      about,
      state: "fault",
      says: error.inEnvelope
        ? `it does not know collection ${id}. Check COLLECTION_IDS`
        : `asked for collection ${id}, ${NOT_ITS_WORDS} and COLLECTION_IDS`,
    };
  }
}

const isNotFound = (error: unknown): error is CollectionApiError =>
  error instanceof CollectionApiError && error.kind === "not_found";

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
