import type { CollectionClient } from "../collection-api/index.ts";
import { RelayError } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";
import type { CommandContext } from "./command-context.ts";
import { type ProviderAccount, providerAccount } from "./provider-account.ts";
import { providerWords } from "./provider-words.ts";

export interface ProviderOptions {
  /** The name of the merchant account; the only one when left out. */
  source?: string | undefined;
  /** The path of Get Banks, which the interface leaves open. */
  banksPath?: string | undefined;
}

interface Provider {
  client: CollectionClient;
  account: ProviderAccount;
  settings: Settings;
}

/**
 * A client of one merchant account, for as long as the work takes.
 * @throws SettingsError, and RelayError in plain words for what the provider refused or could not do.
 */
export async function withProvider<Result>(
  context: CommandContext,
  { source, banksPath }: ProviderOptions,
  work: (provider: Provider) => Promise<Result>,
): Promise<Result> {
  const { CollectionApiError, CollectionClient } = await import("../collection-api/index.ts");
  const settings = context.settings(["COLLECTION_API_URL", "COLLECTION_API_KEY"]);
  const account = providerAccount(settings, source);
  const client = new CollectionClient({
    baseUrl: account.collectionApiUrl,
    apiKey: account.collectionApiKey,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    connections: 2,
    banksPath,
  });
  try {
    return await work({ client, account, settings });
  } catch (cause) {
    if (!(cause instanceof CollectionApiError)) throw cause;
    throw new RelayError(providerWords(cause), { next: cause.next, code: cause.code, cause });
  } finally {
    await client.close();
  }
}
