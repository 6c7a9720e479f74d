import { readFileSync } from "node:fs";
import { z } from "zod";
import { codeOf } from "../errors/index.ts";
import { pathOf } from "../validation/index.ts";
import { jsonIn, type Secret } from "../values/index.ts";
import {
  addressBlock,
  anyUuid,
  baseUrl,
  booksTimeZone,
  currency,
  headerName,
  list,
  secret,
  sourceName,
  topicArn,
  untidiness,
  urlToken,
  webhookSecret,
} from "./setting-formats.ts";

const algorithm = z.enum(["sha256", "sha512"], { error: "should be sha256 or sha512" });

/** The settings of the checks of the source `default`. */
export const CALLBACK_CHECK_SETTINGS = {
  CALLBACK_HMAC_SECRETS: list(secret(16))
    .optional()
    .describe("Callbacks must carry an HMAC of their raw bytes, made with one of these."),
  CALLBACK_HMAC_HEADER: headerName
    .prefault("x-signature")
    .describe("The header with that HMAC, hex or base64."),
  CALLBACK_HMAC_ALGORITHM: algorithm.prefault("sha256").describe("The hash of that HMAC."),
  CALLBACK_HMAC_PREFIX: z.string().prefault("").describe("The prefix of that HMAC, such as sha256=."),
  CALLBACK_HEADER_TOKENS: list(secret(16))
    .optional()
    .describe("Callbacks must carry one of these in a header."),
  CALLBACK_HEADER_NAME: headerName.prefault("x-callback-token").describe("The header with that token."),
  CALLBACK_WEBHOOK_SECRETS: list(webhookSecret)
    .optional()
    .describe("Callbacks must be signed as Standard Webhooks, with one of these (whsec_…)."),
  CALLBACK_ALLOWED_ADDRESSES: list(addressBlock)
    .optional()
    .describe("Callbacks must come from one of these addresses or blocks."),
};

type CheckSettings = z.output<z.ZodObject<typeof CALLBACK_CHECK_SETTINGS>>;

/** The same for a source of SOURCES_FILE. @param secretsOf reads one secret or more, each written out or named. */
export const callbackChecksSchema = (
  secretsOf: (format: z.ZodType<Secret, string>) => z.ZodType<readonly Secret[]>,
) =>
  z.strictObject({
    /** An HMAC over the raw bytes; hex or base64 behind `prefix`, in a header. */
    hmac: z
      .strictObject({
        header: headerName.prefault("x-signature"),
        algorithm: algorithm.default("sha256"),
        prefix: z.string().default(""),
        secrets: secretsOf(secret(16)),
      })
      .nullable()
      .default(null),
    headerToken: z
      .strictObject({ header: headerName.prefault("x-callback-token"), tokens: secretsOf(secret(16)) })
      .nullable()
      .default(null),
    /** Secrets as Standard Webhooks writes them: `whsec_` and base64. */
    standardWebhooks: z
      .strictObject({ secrets: secretsOf(webhookSecret) })
      .nullable()
      .default(null),
    /** Addresses and blocks (CIDR); empty for anyone. */
    allowedAddresses: z.array(addressBlock).default([]),
  });

/**
 * The proof that a callback must give beyond its token, where the provider offers it. Every check that is set must
 * pass.
 */
export type CallbackChecks = z.output<ReturnType<typeof callbackChecksSchema>>;

/** Whether a check demands anything. */
export const isSet = <Check>(check: Check): check is NonNullable<Check> =>
  Array.isArray(check) ? check.length > 0 : check !== null;

export const callbackChecksOf = (given: CheckSettings): CallbackChecks => ({
  hmac: given.CALLBACK_HMAC_SECRETS
    ? {
        header: given.CALLBACK_HMAC_HEADER,
        algorithm: given.CALLBACK_HMAC_ALGORITHM,
        prefix: given.CALLBACK_HMAC_PREFIX,
        secrets: given.CALLBACK_HMAC_SECRETS,
      }
    : null,
  headerToken: given.CALLBACK_HEADER_TOKENS
    ? { header: given.CALLBACK_HEADER_NAME, tokens: given.CALLBACK_HEADER_TOKENS }
    : null,
  standardWebhooks: given.CALLBACK_WEBHOOK_SECRETS ? { secrets: given.CALLBACK_WEBHOOK_SECRETS } : null,
  allowedAddresses: given.CALLBACK_ALLOWED_ADDRESSES ?? [],
});

type Environment = Record<string, string | undefined>;

/** Either the sources, or what is wrong with the file, a line each with the path inside it; never a value. */
interface SourcesFile {
  sources: readonly Source[];
  problems: readonly string[];
}

/** Reads SOURCES_FILE: `{"sources": [{"name": …}]}`. A secret stands there, or `env:NAME` names its variable. */
export function readSourcesFile(file: string, environment: Environment): SourcesFile {
  const failed = (...problems: string[]): SourcesFile => ({
    sources: [],
    problems: problems.map((problem) => `SOURCES_FILE: ${problem}`),
  });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return failed(`${file} cannot be read (${codeOf(error) || "unreadable"})`);
  }
  const json = jsonIn(text.replace(/^\uFEFF/, ""));
  if (json === undefined) return failed(`${file} is not JSON`);
  const result = sourcesSchema(environment).safeParse(json);
  if (!result.success)
    return failed(
      ...result.error.issues.map((issue) => `${pathOf(issue.path) || "the whole"} ${messageOfIssue(issue)}`),
    );
  const twice = doubles(result.data.sources);
  return twice.length > 0 ? failed(...twice) : { sources: result.data.sources, problems: [] };
}

function sourcesSchema(environment: Environment) {
  const kept = (format: z.ZodType<Secret, string>) =>
    z
      .string()
      .transform((text, context) => {
        const [, name] = /^env:(.+)$/.exec(text) ?? [];
        const value = name === undefined ? text : environment[name];
        const from = name !== undefined && /^\w+$/.test(name) ? name : "a variable";
        if (value === undefined || value === "") context.addIssue(`refers to ${from}, which is not set`);
        const problem = untidiness(value ?? "");
        if (problem !== null)
          context.addIssue(name === undefined ? problem : `refers to ${from}, which ${problem}`);
        return value ?? z.NEVER;
      })
      .pipe(format);
  return z.strictObject({
    sources: z.array(sourceSchema(kept, environment)).min(1, "should describe at least one source"),
  });
}

function doubles(sources: readonly Source[]): string[] {
  const problems: string[] = [];
  const names = new Set<string>();
  const tokens = new Map<string, number>();
  for (const [index, source] of sources.entries()) {
    if (names.has(source.name)) problems.push(`sources[${index}].name is another source's name`);
    names.add(source.name);
    for (const [place, token] of source.callbackTokens.entries()) {
      const owner = tokens.get(token.reveal());
      if (owner !== undefined && owner !== index)
        problems.push(`sources[${index}].callbackTokens[${place}] is a token of sources[${owner}] as well`);
      tokens.set(token.reveal(), index);
    }
  }
  return problems;
}

/** Zod's own words where there are none of ours. They name types and keys, no values. */
const messageOfIssue = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_type" || issue.code === "unrecognized_keys"
    ? `is wrong: ${issue.message}`
    : issue.message;

/**
 * A merchant account as SOURCES_FILE describes it: its key, the tokens of its callback URLs, the topics of its
 * events.
 * @param kept reads a secret, written out or named.
 * @param environment holds the values that sources share by leaving theirs out; checked with the other settings.
 */
function sourceSchema(
  kept: (format: z.ZodType<Secret, string>) => z.ZodType<Secret, string>,
  { BOOKS_TIME_ZONE, CURRENCY }: Environment,
) {
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
    /** The zone whose days the books have. */
    booksTimeZone: booksTimeZone.default(BOOKS_TIME_ZONE || "UTC"),
    /** Of all amounts, ISO 4217. */
    currency: currency.default(CURRENCY || "NGN"),
  });
  return described.transform(({ collectionIds, ...others }) => ({
    ...others,
    collectionIds: collectionIds ?? [],
    reconciliation: reconciliationOf(collectionIds),
  }));
}

/** `none`: COLLECTION_IDS says that nothing is reconciled; `unset`: it is not set. */
type Reconciliation = "on" | "none" | "unset";

/** @param collectionIds undefined when left out. */
export const reconciliationOf = (collectionIds: readonly string[] | undefined): Reconciliation =>
  collectionIds === undefined ? "unset" : collectionIds.length === 0 ? "none" : "on";

export type Source = Readonly<z.output<ReturnType<typeof sourceSchema>>>;
