import type { CollectionClient } from "../collection-api/index.ts";
import { RelayError } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";
import type { CommandContext } from "./command-context.ts";
import { type ProviderAccount, providerAccount } from "./provider-account.ts";
import { providerWords } from "./provider-words.ts";

export interface ProviderOptions {
  /** The source; may be omitted when there is only one. */
  source?: string | undefined;
  /** The path of Get Banks, which the interface does not define. */
  banksPath?: string | undefined;
}

interface Provider {
  client: CollectionClient;
  account: ProviderAccount;
  settings: Settings;
}

/**
 * Runs the work with a client for one merchant account.
 * @throws SettingsError; RelayError in plain words when the provider refuses or fails.
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
