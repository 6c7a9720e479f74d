import type {
  CollectionApiError,
  CollectionApiErrorKind,
  CollectionClient,
} from "../collection-api/index.ts";
import { notFoundError, RelayError, usageError } from "../kit/errors.ts";
import { withoutCallbackTokens } from "../kit/mask.ts";
import type { Secret } from "../kit/secret.ts";
import { describedSources, type Settings, SettingsError } from "../kit/settings.ts";
import type { CommandContext } from "./command-context.ts";

export interface ProviderOptions {
  /** The source; may be omitted when there is only one. */
  source?: string | undefined;
  /** The path of Get Banks, which the interface does not define. */
  banksPath?: string | undefined;
}

export interface Provider {
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

/** What is needed to call the provider for one merchant account. */
interface ProviderAccount {
  readonly name: string;
  readonly currency: string;
  readonly collectionApiUrl: string;
  readonly collectionApiKey: Secret;
  /** Tokens for the callback URL of invoices created here; empty when the settings name none. */
  readonly callbackTokens: readonly Secret[];
}

function providerAccount(settings: Settings, name: string | undefined): ProviderAccount {
  const accounts = accountsOf(settings);
  const [only] = accounts;
  const found =
    name === undefined && accounts.length === 1 ? only : accounts.find((account) => account.name === name);
  if (found !== undefined) return found;
  const names = accounts.map((account) => account.name).join(", ");
  const choose = `Choose one of these with --source: ${names}.`;
  if (name === undefined) throw usageError(`Which source? ${choose}`);
  throw notFoundError(`There is no source "${name}". ${choose}`);
}

const accountsOf = (settings: Settings): ProviderAccount[] =>
  describedSources(settings).map(
    ({ name, currency, collectionApiUrl, collectionApiKey, callbackTokens = [] }) => {
      if (collectionApiUrl !== undefined && collectionApiKey !== undefined)
        return { name, currency, collectionApiUrl, collectionApiKey, callbackTokens };
      throw new SettingsError(["COLLECTION_API_URL and COLLECTION_API_KEY are needed, or a SOURCES_FILE"]);
    },
  );

const ADVICE: Partial<Record<CollectionApiErrorKind, string>> = {
  not_found: "Check the id, and whether the key belongs to the same account.",
  key_refused: "Check the key, its permissions, and whether this machine's address is allowed.",
  wrong_key_kind: "Use the account's Live key for Live invoices and its Test key for Test invoices.",
  collection_closed: "The key is valid. Open the collection at the provider, or use another one.",
  timeout: "Try again; CONFIRM_TIMEOUT sets how long an answer may take.",
  unreachable: "Check COLLECTION_API_URL, and whether the provider is up.",
  server_fault: "Try again in a while.",
  broken_json: "Check COLLECTION_API_URL: is this the API?",
  outside_contract: "Check COLLECTION_API_URL: is this the API?",
};

/**
 * A failed call to the provider in plain words: what was asked, what went wrong, what to do. Contains no
 * token.
 */
export function providerWords(error: CollectionApiError): string {
  const said = withoutCallbackTokens(error.message).replace(/(?<=[^.!?])$/, ".");
  // The message of a write with an unknown outcome already says what to do: check first.
  const advice = error.outcomeUnknown ? undefined : adviceFor(error);
  return advice === undefined ? said : `${said} ${advice}`;
}

function adviceFor({ kind, operation, retryAfterMs }: CollectionApiError): string | undefined {
  if (kind === "rate_limited") return waitFor(retryAfterMs);
  if (kind === "not_found" && operation === "Get Banks") return "Set its path with --banks-path.";
  return ADVICE[kind];
}

const waitFor = (ms: number | undefined): string =>
  ms === undefined ? "Try again in a while." : `Try again in ${Math.ceil(ms / 1_000)} s.`;
