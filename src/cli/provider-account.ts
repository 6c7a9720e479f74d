import { RelayError } from "../kit/errors.ts";
import type { Secret } from "../kit/secret.ts";
import { type Settings, SettingsError } from "../kit/settings.ts";
import { describedSources } from "../kit/sources.ts";

/** What is needed to call the provider for one merchant account. */
export interface ProviderAccount {
  readonly name: string;
  readonly collectionApiUrl: string;
  readonly collectionApiKey: Secret;
  /** Tokens for the callback URL of invoices created here; empty when the settings name none. */
  readonly callbackTokens: readonly Secret[];
}

/**
 * The account to use: the only one, or the source of that name.
 * @throws RelayError listing the names when it is ambiguous or unknown; SettingsError when there is none.
 */
export function providerAccount(settings: Settings, name: string | undefined): ProviderAccount {
  const accounts = accountsOf(settings);
  const [only] = accounts;
  const found =
    name === undefined && accounts.length === 1 ? only : accounts.find((account) => account.name === name);
  if (found !== undefined) return found;
  const names = accounts.map((account) => account.name).join(", ");
  const problem = name === undefined ? "Which source?" : `There is no source "${name}".`;
  throw new RelayError(`${problem} Choose one of these with --source: ${names}.`, { code: "usage" });
}

const accountsOf = (settings: Settings): ProviderAccount[] =>
  describedSources(settings).map(({ name, collectionApiUrl, collectionApiKey, callbackTokens = [] }) => {
    if (collectionApiUrl !== undefined && collectionApiKey !== undefined)
      return { name, collectionApiUrl, collectionApiKey, callbackTokens };
    throw new SettingsError(["COLLECTION_API_URL and COLLECTION_API_KEY are needed, or a SOURCES_FILE"]);
  });
