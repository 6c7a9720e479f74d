import { z } from "zod";
import { RelayError } from "../errors/index.ts";
import {
  adminToken,
  baseUrl,
  booksTimeZone,
  collectionIds,
  currency,
  databaseUrl,
  durationFrom,
  formatOf,
  keepingTime,
  list,
  originUrl,
  pageUrl,
  proxyAddress,
  secret,
  secretUrl,
  signingKey,
  timeZone,
  topicArn,
  untidiness,
  url,
  urlToken,
  wholeNumber,
} from "./setting-formats.ts";
import {
  CALLBACK_CHECK_SETTINGS,
  callbackChecksOf,
  readSourcesFile,
  reconciliationOf,
  type Source,
} from "./sources-file.ts";
import { TRACE_SETTINGS } from "./trace-settings.ts";

/** Every setting: its name, form and purpose. A test holds `.env.example` and `docs/settings.md` against it. */
export const settingsSchema = z.object({
  PORT: wholeNumber(0, 65_535)
    .prefault("4000")
    .describe("The port that the relay listens on; 0 takes a free one."),
  OPS_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe("The port of /readyz, /metrics, /console and the admin API; without it they are on PORT."),
  PUBLIC_URL: originUrl.optional().describe("The relay's address as the provider sees it, without a path."),
  DATABASE_URL: databaseUrl.optional().describe("The Postgres database (15 to 18) that records everything."),
  COLLECTION_API_URL: baseUrl.optional().describe("The provider's base URL; a final /api/v1 is ignored."),
  COLLECTION_API_KEY: secret(1).optional().describe("The key sent to the provider as x-api-key."),
  COLLECTION_IDS: collectionIds
    .optional()
    .describe(
      "The relay publishes only invoices of these collections, and reconciles their lists; with `none` it " +
        "publishes those of every collection and reads no lists.",
    ),
  CALLBACK_TOKENS: list(urlToken)
    .optional()
    .describe("The secret last part of the callback URL; several while you rotate them."),
  ...CALLBACK_CHECK_SETTINGS,
  SOURCES_FILE: z
    .string()
    .optional()
    .describe("A JSON file that describes several merchant accounts; examples/sources.json is one."),
  TRUSTED_PROXIES: list(proxyAddress)
    .optional()
    .describe("Proxies in front of the relay, whose X-Forwarded-For names the caller's address."),
  REQUEST_TIMEOUT: durationFrom("100ms", "10m")
    .prefault("10s")
    .describe("The time in which a whole request has to arrive."),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000)
    .prefault("5000")
    .describe("The limit of open connections at each port; further ones are closed."),
  SNS_TOPIC_ARN: topicArn.optional().describe("The topic for the invoice.paid events of Live invoices."),
  SNS_TEST_TOPIC_ARN: topicArn
    .optional()
    .describe("The topic for Test invoices; without it their events wait for one."),
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "should be a region such as eu-west-1")
    .optional()
    .describe("The region of the topics."),
  AWS_ENDPOINT_URL_SNS: url
    .optional()
    .describe("Another SNS endpoint, such as the local one; the AWS SDK's own setting."),
  ADMIN_TOKENS: list(adminToken)
    .optional()
    .describe(
      "Tokens of the admin API and the console, name:role:token with the role read, operate or admin; " +
        "without them both are closed.",
    ),
  METRICS_TOKEN: secret(22)
    .optional()
    .describe(
      "The bearer token of /metrics. Without it the page is open on OPS_PORT; on PORT it accepts one " +
        "of ADMIN_TOKENS, or a request from the same machine.",
    ),
  ALARM_WEBHOOK_URL: secretUrl
    .optional()
    .describe("The URL that receives alarms, by POST; invoice-relay alarms test tries it."),
  ALARM_WEBHOOK_FORMAT: z
    .enum(["generic", "slack", "text"], { error: "should be generic, slack or text" })
    .prefault("generic")
    .describe(
      "The format of that webhook: generic is a text with the alarms as JSON; slack is for Slack's " +
        "incoming webhooks and similar ones; text is the text alone, for Google Chat, Teams and other " +
        "strict ones.",
    ),
  RUNBOOK_URL: pageUrl
    .optional()
    .describe("The address of your copy of docs/operations.md; each alarm links to its heading there."),
  INVOICE_RELAY_OPERATOR: z
    .string()
    .trim()
    .min(1)
    .max(100, "should be a name, 100 characters at most")
    .optional()
    .describe("Your name in the audit log of commands; without it, the login name."),
  REPLAY_TOPIC_ARNS: list(topicArn)
    .optional()
    .describe("Further topics to which the admin API may replay events."),
  CONFIRM_CONCURRENCY: wholeNumber(1, 1_000)
    .prefault("64")
    .describe("The number of concurrent requests to the provider."),
  CONFIRM_RATE_PER_SECOND: wholeNumber(1, 100_000)
    .optional()
    .describe("The limit of confirmations a second for a provider account; without it, no limit."),
  CONFIRM_TIMEOUT: durationFrom("100ms", "10m")
    .prefault("10s")
    .describe("The time limit of a response of the provider."),
  LEASE_DURATION: durationFrom("100ms", "1h")
    .prefault("15s")
    .describe("The time for which a dead worker's work stays claimed; the same in all processes."),
  UNKNOWN_RATE_PER_SECOND: wholeNumber(1, 100_000)
    .prefault("5")
    .describe("The limit of confirmations a second for unknown ids, during a flood of them."),
  RECONCILE_INTERVAL: durationFrom("1s", "20d")
    .prefault("10m")
    .describe("The interval at which the provider's list is read for payments without a callback."),
  RECONCILE_LOOKBACK: durationFrom("1m", "3650d")
    .prefault("35d")
    .describe("The age up to which reconciliation finds the payment of an invoice."),
  RETENTION: keepingTime.prefault("400d").describe("The time for which callbacks are kept."),
  PERSONAL_DATA_RETENTION: keepingTime
    .optional()
    .describe(
      "The age at which the personal data of an invoice is blanked, as erase does; without it, never.",
    ),
  PROVIDER_TIME_ZONE: timeZone.prefault("UTC").describe("The zone of the provider's times without a zone."),
  BOOKS_TIME_ZONE: booksTimeZone
    .prefault("UTC")
    .describe("The zone of the days in certificates and reports; a source of SOURCES_FILE may have its own."),
  CURRENCY: currency
    .prefault("NGN")
    .describe("The currency of all amounts; a source of SOURCES_FILE may have its own."),
  PAID_STATUSES: list(z.string())
    .prefault("Paid")
    .describe("Invoice statuses that mean paid, compared without case (A to Z)."),
  INVALID_STATUSES: list(z.string())
    .prefault("Invalidated,Invalid,Expired")
    .describe("Invoice statuses that mean that it can no longer be paid, compared without case (A to Z)."),
  CERTIFICATE_SIGNING_KEY: signingKey
    .optional()
    .describe("The key that signs certificates; without it they are unsigned, and say so."),
  CALLBACK_ACK_STATUS: wholeNumber(200, 299)
    .prefault("200")
    .describe("The status of the response to a recorded callback."),
  CALLBACK_ACK_BODY: z
    .string()
    .prefault("")
    .describe("The exact body of the response to a recorded callback."),
  CALLBACK_REDIRECT_URL: url
    .optional()
    .describe("The page for a payer's browser that opens the callback URL."),
  EVENT_PERSONAL_DATA: z
    .enum(["full", "none"], { error: "should be full or none" })
    .prefault("full")
    .describe("Whether events name the payer and the biller."),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: "should be fatal, error, warn, info, debug, trace or silent",
    })
    .prefault("info")
    .describe("The log level."),
  ...TRACE_SETTINGS,
  DATA_DIR: z
    .string()
    .min(1)
    .prefault(".data")
    .describe("The folder in which the local services of `npm start` keep their data."),
});

export type SettingName = keyof typeof settingsSchema.shape;
export const SETTING_NAMES = Object.keys(settingsSchema.shape) as SettingName[];

/** Settings whose values are never shown. */
export const SECRET_SETTINGS = SETTING_NAMES.filter((name) => formatOf(settingsSchema.shape[name])?.secret);

type Parsed = z.output<typeof settingsSchema>;

const callbackCheckSettings = Object.keys(
  CALLBACK_CHECK_SETTINGS,
) as (keyof typeof CALLBACK_CHECK_SETTINGS)[];

/** The settings of the one source `default`. With SOURCES_FILE each source has its own, and these are refused. */
export const SOURCE_SETTINGS = [
  "COLLECTION_API_URL",
  "COLLECTION_API_KEY",
  "COLLECTION_IDS",
  "CALLBACK_TOKENS",
  ...callbackCheckSettings,
  "SNS_TOPIC_ARN",
  "SNS_TEST_TOPIC_ARN",
] as const satisfies readonly SettingName[];
type SourceSetting = (typeof SOURCE_SETTINGS)[number];
const isSourceSetting = (name: SettingName): name is SourceSetting =>
  SOURCE_SETTINGS.some((setting) => setting === name);

/** Settings in `Required` are certainly there. `sourcesOf` reads those of a source, which a file may hold. */
export type Settings<Required extends SettingName = never> = Parsed & {
  [Name in Exclude<Required, SourceSetting>]: NonNullable<Parsed[Name]>;
} & {
  /** The sources of SOURCES_FILE; null without one. */
  readonly sourcesInFile: readonly Source[] | null;
  /** The names of the variables that the environment sets. */
  readonly given: readonly string[];
};

/** All faults of the settings, a line each; no value is ever part of it. */
export class SettingsError extends RelayError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings need attention:\n${problems.map((problem) => `  ${problem}`).join("\n")}`, {
      code: "settings",
    });
    this.problems = problems;
  }
}

/** The settings that `serve` requires. */
export const SERVE_REQUIRES = [
  "PUBLIC_URL",
  "DATABASE_URL",
  "COLLECTION_API_URL",
  "COLLECTION_API_KEY",
  "CALLBACK_TOKENS",
  "SNS_TOPIC_ARN",
  "AWS_REGION",
] as const satisfies readonly SettingName[];

/** The same and COLLECTION_IDS: without it a payment whose callback never comes is missed. */
export const TO_FILL_IN: readonly SettingName[] = [...SERVE_REQUIRES, "COLLECTION_IDS"];

/** The settings of `serve`: all that it requires are there. */
export type ServeSettings = Settings<(typeof SERVE_REQUIRES)[number]>;

/** Empty counts as left out, as shells set it so. @throws SettingsError that lists all that is missing or wrong. */
export function readSettings<const Required extends SettingName = never>(
  environment: Record<string, string | undefined>,
  required: readonly Required[] = [],
): Settings<Required> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const result = settingsSchema.safeParse(given);
  const file = given.SOURCES_FILE;
  const inFile = file === undefined ? null : readSourcesFile(file, environment);
  const problems = [
    ...(result.success
      ? []
      : result.error.issues.map((issue) => `${issue.path[0]?.toString()} ${issue.message}`)),
    ...malformedSettings(given),
    ...missingSettings(given, required),
    ...describedTwice(given),
    ...(inFile?.problems ?? []),
    ...(result.success ? contradictions(result.data, inFile?.sources ?? null) : []),
  ];
  if (!result.success || problems.length > 0) throw new SettingsError([...new Set(problems)].sort());
  return {
    ...result.data,
    sourcesInFile: inFile?.sources ?? null,
    given: Object.keys(given),
  } as Settings<Required>;
}

/** An answer's body is sent exactly as it is given, and PEM ends with a line end. */
const AS_GIVEN: readonly SettingName[] = ["CALLBACK_ACK_BODY", "CERTIFICATE_SIGNING_KEY"];

function malformedSettings(given: SettingTexts): string[] {
  return SETTING_NAMES.filter((name) => !AS_GIVEN.includes(name)).flatMap((name) => {
    const problem = untidiness(given[name] ?? "");
    return problem === null ? [] : `${name} ${problem}`;
  });
}

type SettingTexts = { [Name in SettingName]?: string | undefined };

function missingSettings(given: SettingTexts, required: readonly SettingName[]): string[] {
  const inFile = (name: SettingName) => given.SOURCES_FILE !== undefined && isSourceSetting(name);
  return required
    .filter((name) => given[name] === undefined && !inFile(name))
    .map((name) => `${name} is missing. ${settingsSchema.shape[name].description}`);
}

function describedTwice(given: SettingTexts): string[] {
  if (given.SOURCES_FILE === undefined) return [];
  return SOURCE_SETTINGS.filter((name) => given[name] !== undefined).map(
    (name) => `${name} describes one source; with SOURCES_FILE, write it there and unset it here`,
  );
}

export type { Source } from "./sources-file.ts";

type PerhapsMissing = "collectionApiUrl" | "collectionApiKey" | "callbackTokens" | "snsTopicArn";
type DescribedSource = Omit<Source, PerhapsMissing> & { [Name in PerhapsMissing]: Source[Name] | undefined };

/** The sources of SOURCES_FILE, else `default`, of which variables may leave parts out. They hold secrets. */
export const describedSources = (settings: Settings): readonly DescribedSource[] =>
  settings.sourcesInFile ?? [
    {
      name: "default",
      collectionApiUrl: settings.COLLECTION_API_URL,
      collectionApiKey: settings.COLLECTION_API_KEY,
      collectionIds: settings.COLLECTION_IDS ?? [],
      reconciliation: reconciliationOf(settings.COLLECTION_IDS),
      callbackTokens: settings.CALLBACK_TOKENS,
      callbackChecks: callbackChecksOf(settings),
      snsTopicArn: settings.SNS_TOPIC_ARN,
      snsTestTopicArn: settings.SNS_TEST_TOPIC_ARN ?? null,
      booksTimeZone: settings.BOOKS_TIME_ZONE,
      currency: settings.CURRENCY,
    },
  ];

/** @throws SettingsError when the variables were not required and do not make a whole source. */
export const sourcesOf = (settings: Settings<(typeof SERVE_REQUIRES)[number]>): Source[] =>
  describedSources(settings).map((source) => {
    const { collectionApiUrl, collectionApiKey, callbackTokens, snsTopicArn } = source;
    if (collectionApiUrl && collectionApiKey && callbackTokens && snsTopicArn)
      return { ...source, collectionApiUrl, collectionApiKey, callbackTokens, snsTopicArn };
    throw new SettingsError([
      "COLLECTION_API_URL, COLLECTION_API_KEY, CALLBACK_TOKENS and SNS_TOPIC_ARN are needed, or a " +
        "SOURCES_FILE",
    ]);
  });

/** The currency of each source that the settings describe. */
export function currencyOf(settings: Settings): (source: string) => string | undefined {
  const currencies = new Map(describedSources(settings).map(({ name, currency }) => [name, currency]));
  return (source) => currencies.get(source);
}

/** null where the settings describe no source, as for a command that needs only the database. */
export function sourceNamesOf(settings: Settings): string[] | null {
  if (settings.sourcesInFile === null && settings.COLLECTION_API_KEY === undefined) return null;
  return describedSources(settings).map(({ name }) => name);
}

const MEANS_TEST = "events of Test invoices would be taken for payments";

/** Right by itself, wrong together, a line each; no line holds a secret. @param sources null without SOURCES_FILE. */
function contradictions(given: Parsed, sources: readonly Source[] | null): string[] {
  const { SNS_TOPIC_ARN: live, SNS_TEST_TOPIC_ARN: test, CALLBACK_ACK_STATUS: status } = given;
  const paid = new Set(given.PAID_STATUSES.map((one) => one.toLowerCase()));
  const tokens = given.ADMIN_TOKENS?.map(({ token }) => token.reveal()) ?? [];
  const rules: [isSo: boolean, problem: string][] = [
    [
      [204, 205].includes(status) && given.CALLBACK_ACK_BODY !== "",
      `CALLBACK_ACK_BODY is set, but an answer with ${status} has no body`,
    ],
    // 0 takes a free port for each.
    [
      given.PORT !== 0 && given.OPS_PORT === given.PORT,
      "OPS_PORT is the same as PORT; leave it out to have all on one port",
    ],
    [paid.has("unpaid"), "PAID_STATUSES holds Unpaid, with which every invoice begins"],
    [
      given.INVALID_STATUSES.some((one) => paid.has(one.toLowerCase())),
      "PAID_STATUSES and INVALID_STATUSES hold the same status",
    ],
    // The role of the one written last would hold.
    [new Set(tokens).size < tokens.length, "ADMIN_TOKENS holds the same token twice"],
    [
      sources === null && live !== undefined && live === test,
      `SNS_TEST_TOPIC_ARN is the same as SNS_TOPIC_ARN: ${MEANS_TEST}`,
    ],
  ];
  return [...rules.flatMap(([isSo, problem]) => (isSo ? problem : [])), ...topicsOfSources(sources ?? [])];
}

/** A source's topic for Test invoices may not be another source's live one. */
function topicsOfSources(sources: readonly Source[]): string[] {
  const live = new Map(sources.map(({ snsTopicArn }, index) => [snsTopicArn, index]));
  return sources.flatMap(({ snsTestTopicArn }, index) => {
    const owner = snsTestTopicArn === null ? undefined : live.get(snsTestTopicArn);
    if (owner === undefined) return [];
    return `SOURCES_FILE: sources[${index}].snsTestTopicArn is the snsTopicArn of sources[${owner}]: ${MEANS_TEST}`;
  });
}
