import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { z } from "zod";
import { describedSources, type Settings, SettingsError } from "../../../platform/config/index.ts";
import { messageOf, notFoundError, RelayError, usageError } from "../../../platform/errors/index.ts";
import { ownWords, problemsOf } from "../../../platform/validation/index.ts";
import { type Secret, sentence, shortText, withoutCallbackTokens } from "../../../platform/values/index.ts";
import {
  type AddLinkedAccountInput,
  type CollectionApiError,
  type CollectionApiErrorKind,
  type CollectionClient,
  type CreateInvoiceInput,
  type InvoiceFilterInput,
  type OperationName,
  operations,
  parseExactJson,
} from "../../../provider/index.ts";
import type { CommandContext } from "../command-context.ts";
import { kebab } from "../operation-command.ts";
import { idValue } from "../option-values.ts";
import { anyText, table } from "../table.ts";

type Data = Readonly<Record<string, unknown>>;
type Call = (client: CollectionClient, id: string, data: Data) => Promise<object>;

const CALLS: Readonly<Record<OperationName, Call>> = {
  getCollection: (client, id) => client.getCollection(id),
  listInvoices: (client, id, data) => client.listInvoices(id, data as InvoiceFilterInput),
  createInvoice: async (client, _id, data) =>
    (await client.createInvoice(data as unknown as CreateInvoiceInput)).invoice,
  getInvoice: async (client, id) => (await client.getInvoice(id)).invoice,
  invalidateInvoice: (client, id) => client.invalidateInvoice(id),
  addLinkedAccount: (client, _id, data) => client.addLinkedAccount(data as unknown as AddLinkedAccountInput),
  getBanks: (client) => client.getBanks(),
};

const NAMES = Object.keys(operations) as OperationName[];

interface Options extends ProviderOptions {
  data?: string;
}

/** `invoice-relay api <operation>`: the contract's seven operations, with the key from the settings. */
export function apiCommand(context: CommandContext): Command {
  const command = new Command("api")
    .description("call the provider: one of its seven operations; without one, lists them")
    .argument("[operation]", "its name")
    .argument("[id]", "the collection's or the invoice's id, of operations on one", idValue)
    .option("--data <json>", "the operation's input, as a JSON object; @<path> reads it from a file")
    .option("--source <name>", "the source whose key to use; needed if SOURCES_FILE has several")
    .option("--banks-path <path>", "the path of get-banks; /api/v1/banks by default")
    .addHelpText("after", () => `\nOperations:\n${table(listed(), { name: "operation", takes: "fields" })}`);
  return command.action(async (given: string | undefined, id: string | undefined, options: Options) => {
    if (given === undefined) return context.json ? context.show(listed(), String) : command.outputHelp();
    const name = operationNamed(given);
    if ("path" in operations[name].request !== (id !== undefined))
      throw usageError(`${kebab(name)} takes ${id === undefined ? "an" : "no"} id.`);
    const data = checked(name, await readData(options.data));
    await withProvider(context, options, async (provider) => {
      const request = name === "createInvoice" ? await withCallbackUrl(context, provider, data) : data;
      const answer = await CALLS[name](provider.client, id ?? "", request);
      context.show(answer, () => anyText(answer));
    });
  });
}

function operationNamed(given: string): OperationName {
  const found = NAMES.find((name) => kebab(name) === given);
  if (found !== undefined) return found;
  throw usageError(
    `The provider has no operation "${shortText(given)}". There are: ${NAMES.map(kebab).join(", ")}.`,
  );
}

/** The fields that an operation takes; null for none. */
function schemaOf(name: OperationName): z.ZodObject | null {
  const { request } = operations[name];
  return "body" in request ? request.body : "query" in request ? request.query : null;
}

/** @throws RelayError that names each wrong or missing field, and quotes no value: they are about people. */
function checked(name: OperationName, given: Data): Data {
  // The contract lets unknown fields be; here they are misspelt ones.
  const { error } = (schemaOf(name) ?? z.object({})).strict().safeParse(given, { error: ownWords });
  if (error === undefined) return given;
  throw usageError(`${kebab(name)} was not sent: ${problemsOf(error).join("; ")}.`);
}

async function readData(given: string | undefined): Promise<Data> {
  if (given === undefined) return {};
  const text = given.startsWith("@") ? await contents(given.slice(1)) : given;
  const data = jsonIn(text);
  if (typeof data === "object" && data !== null && !Array.isArray(data)) return data as Data;
  throw usageError(
    '--data should be one JSON object in single quotes, such as \'{"title":"School fees"}\', or @ and a file of it.',
  );
}

function jsonIn(text: string): unknown {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw usageError(`${shortText(file)} cannot be read: ${messageOf(cause)}`);
  }
}

/** An invoice calls the relay back unless its data names another address, or null for none. */
async function withCallbackUrl(
  context: CommandContext,
  { account, settings: { PUBLIC_URL } }: Provider,
  data: Data,
): Promise<Data> {
  const [token] = account.callbackTokens;
  if ("callBackUrl" in data) return data;
  if (PUBLIC_URL === undefined || token === undefined) {
    context.remark(
      "Warning: without PUBLIC_URL and CALLBACK_TOKENS the invoice has no callBackUrl; only reconciling finds " +
        "its payment.",
    );
    return data;
  }
  const { callbackUrl, callbackUrlWarnings } = await import("../../../runtime/callback-url.ts");
  const callBackUrl = callbackUrl(PUBLIC_URL, token.reveal());
  for (const warning of callbackUrlWarnings(callBackUrl)) context.remark(`Warning: ${warning}`);
  return { ...data, callBackUrl };
}

/** Fields in brackets are optional. */
const listed = () =>
  NAMES.map((name) => ({
    operation: kebab(name),
    says: operations[name].summary,
    fields: Object.entries(schemaOf(name)?.shape ?? {})
      .map(([field, schema]) => ((schema as z.ZodType).safeParse(undefined).success ? `[${field}]` : field))
      .join(" "),
  }));

interface ProviderOptions {
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
async function withProvider<Result>(
  context: CommandContext,
  { source, banksPath }: ProviderOptions,
  work: (provider: Provider) => Promise<Result>,
): Promise<Result> {
  const { CollectionApiError, CollectionClient } = await import("../../../provider/index.ts");
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

/** Address and key for the provider's API, for one merchant account. */
interface ProviderAccount {
  readonly collectionApiUrl: string;
  readonly collectionApiKey: Secret;
  /** Tokens for the callback URL of invoices created here; empty when the settings name none. */
  readonly callbackTokens: readonly Secret[];
}

function providerAccount(settings: Settings, name: string | undefined): ProviderAccount {
  const sources = describedSources(settings);
  const found =
    name === undefined && sources.length === 1 ? sources[0] : sources.find((one) => one.name === name);
  if (found === undefined) {
    const choose = `Choose one of these with --source: ${sources.map((one) => one.name).join(", ")}.`;
    if (name === undefined) throw usageError(`Which source? ${choose}`);
    throw notFoundError(`There is no source "${name}". ${choose}`);
  }
  const { collectionApiUrl, collectionApiKey, callbackTokens = [] } = found;
  if (collectionApiUrl !== undefined && collectionApiKey !== undefined)
    return { collectionApiUrl, collectionApiKey, callbackTokens };
  throw new SettingsError(["COLLECTION_API_URL and COLLECTION_API_KEY are needed, or a SOURCES_FILE"]);
}

const ADVICE: Partial<Record<CollectionApiErrorKind, string>> = {
  not_found: "Check the id, and whether the key belongs to the same account.",
  key_refused:
    "Check the key, its kind (Live or Test), whether the collection is open, and whether this machine's address is allowed.",
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
  const said = sentence(withoutCallbackTokens(error.message));
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
