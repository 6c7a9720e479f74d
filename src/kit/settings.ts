import { z } from "zod";
import { RelayError } from "./errors.ts";
import { Secret } from "./secret.ts";

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const duration = z.string().transform((text, context) => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (amount === undefined || unit === undefined) {
    context.addIssue("should be a duration such as 500ms, 20s, 10m, 6h or 35d");
    return z.NEVER;
  }
  return Number(amount) * (DURATION_UNITS[unit] as number);
});

const wholeNumber = (least: number, most: number) =>
  z.string().transform((text, context) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < least || number > most) {
      context.addIssue(`should be a whole number from ${least} to ${most}`);
      return z.NEVER;
    }
    return number;
  });

const isLoopback = (host: string) =>
  host === "localhost" ||
  host === "[::1]" ||
  /^127\.\d+\.\d+\.\d+$/.test(host) ||
  host.endsWith(".localhost");

const url = z.string().transform((text, context) => {
  const parsed = URL.parse(text);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    context.addIssue("should be a URL such as https://relay.example.com");
    return z.NEVER;
  }
  if (parsed.username !== "" || parsed.password !== "") {
    context.addIssue("should hold no user name or password");
    return z.NEVER;
  }
  if (parsed.protocol === "http:" && !isLoopback(parsed.hostname)) {
    context.addIssue("should start with https:// (plain http is accepted for loopback addresses only)");
    return z.NEVER;
  }
  return text.replace(/\/+$/, "");
});

const databaseUrl = z.string().transform((text, context) => {
  const parsed = URL.parse(text);
  if (parsed === null || !["postgres:", "postgresql:"].includes(parsed.protocol)) {
    context.addIssue("should be a Postgres URL such as postgres://user:password@host:5432/invoice_relay");
    return z.NEVER;
  }
  return new Secret(text);
});

const secret = (least: number) =>
  z
    .string()
    .min(least, `should have at least ${least} characters`)
    .regex(/^\S+$/, "should hold no spaces")
    .transform((text) => new Secret(text));

const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item).min(1, "should name at least one, separated by commas"));

const urlToken = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{22,}$/,
    "should be 22 or more characters, each a letter, a digit, - or _ (try: openssl rand -hex 16)",
  )
  .transform((text) => new Secret(text));

const topicArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
    "should be an SNS topic ARN such as arn:aws:sns:eu-west-1:123456789012:invoice-events",
  );

const timeZone = z.string().refine(
  (zone) => {
    try {
      new Intl.DateTimeFormat("en", { timeZone: zone });
      return true;
    } catch {
      return false;
    }
  },
  { error: "should be a time zone such as UTC or Africa/Lagos" },
);

/**
 * Every setting of invoice-relay: its name in the environment, what it must look like, what it is for.
 * `.env.example` and `docs/settings.md` are held against this schema by a test.
 */
export const settingsSchema = z.object({
  PORT: wholeNumber(0, 65_535)
    .prefault("4000")
    .describe("The port that the relay listens on; 0 takes a free one."),
  PUBLIC_URL: url.optional().describe("The relay's address as the provider sees it, without a path."),
  DATABASE_URL: databaseUrl.optional().describe("The Postgres database (15 to 18) that records everything."),
  COLLECTION_API_URL: url.optional().describe("The provider's base URL, without /api/v1."),
  COLLECTION_API_KEY: secret(1).optional().describe("The key sent to the provider as x-api-key."),
  COLLECTION_IDS: list(z.uuid("should be collection ids (UUIDs)"))
    .optional()
    .describe("Only invoices of these collections are published; others are quarantined."),
  CALLBACK_TOKENS: list(urlToken)
    .optional()
    .describe("The secret last part of the callback URL; several while you rotate them."),
  SNS_TOPIC_ARN: topicArn.optional().describe("The topic that invoice.paid events of Live invoices go to."),
  SNS_TEST_TOPIC_ARN: topicArn
    .optional()
    .describe("The topic for Test invoices; without it their events are held."),
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "should be a region such as eu-west-1")
    .optional()
    .describe("The region of the topics."),
  AWS_ENDPOINT_URL_SNS: url
    .optional()
    .describe("Another SNS endpoint, such as the local one; the AWS SDK's own setting."),
  ADMIN_TOKENS: list(secret(22))
    .optional()
    .describe("Bearer tokens of the admin API and the console; without them both are closed."),
  CONFIRM_CONCURRENCY: wholeNumber(1, 1_000)
    .prefault("64")
    .describe("How many invoices are asked for at the same time."),
  CONFIRM_RATE_PER_SECOND: wholeNumber(1, 100_000)
    .optional()
    .describe("The most questions a second to one provider account; no limit when left out."),
  CONFIRM_TIMEOUT: duration.prefault("10s").describe("How long one answer of the provider may take."),
  LEASE_DURATION: duration
    .prefault("15s")
    .describe("How long claimed work belongs to a worker that says nothing more."),
  UNKNOWN_RATE_PER_SECOND: wholeNumber(1, 100_000)
    .prefault("5")
    .describe("The most questions a second for ids that nobody knows, once most of them prove unknown."),
  RECONCILE_INTERVAL: duration
    .prefault("10m")
    .describe("How often the provider's own list is read for what callbacks missed."),
  RECONCILE_LOOKBACK: duration
    .prefault("35d")
    .describe("How long after its creation an invoice may be paid and still be found by reconciliation."),
  RETENTION: duration.prefault("400d").describe("How long callbacks are kept."),
  PROVIDER_TIME_ZONE: timeZone.prefault("UTC").describe("The zone of the provider's times that name none."),
  PAID_STATUSES: list(z.string())
    .prefault("Paid")
    .describe("Invoice statuses that mean paid, compared without case."),
  INVALID_STATUSES: list(z.string())
    .prefault("Invalidated,Invalid,Expired")
    .describe("Invoice statuses that mean it can no longer be paid, compared without case."),
  CALLBACK_ACK_STATUS: wholeNumber(200, 299)
    .prefault("200")
    .describe("The status that answers a recorded callback."),
  CALLBACK_ACK_BODY: z.string().prefault("").describe("The exact body that answers a recorded callback."),
  CALLBACK_REDIRECT_URL: url
    .optional()
    .describe("Where a payer's browser is sent that opens the callback URL."),
  EVENT_PERSONAL_DATA: z
    .enum(["full", "none"], { error: "should be full or none" })
    .prefault("full")
    .describe("Whether events name the payer and the biller."),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: "should be fatal, error, warn, info, debug, trace or silent",
    })
    .prefault("info")
    .describe("How much is logged."),
  DATA_DIR: z
    .string()
    .min(1)
    .prefault(".data")
    .describe("Where the local services of `npm start` keep their data."),
});

export type SettingName = keyof typeof settingsSchema.shape;
type Parsed = z.output<typeof settingsSchema>;

/** The settings with those in `Required` certainly there. */
export type Settings<Required extends SettingName = never> = Parsed & {
  [Name in Required]: NonNullable<Parsed[Name]>;
};

/** All that is wrong with the settings, a line each; no value is ever part of it. */
export class SettingsError extends RelayError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings need attention:\n${problems.map((problem) => `  ${problem}`).join("\n")}`, {
      next: "refuse",
    });
    this.problems = problems;
  }
}

/** What `serve` cannot do without. */
export const SERVE_REQUIRES = [
  "PUBLIC_URL",
  "DATABASE_URL",
  "COLLECTION_API_URL",
  "COLLECTION_API_KEY",
  "CALLBACK_TOKENS",
  "SNS_TOPIC_ARN",
  "AWS_REGION",
] as const satisfies readonly SettingName[];

/**
 * Reads the settings from an environment.
 * A variable that is set but empty counts as left out, as shells and containers set it so.
 * @throws SettingsError that lists every missing or wrong setting at once.
 */
export function readSettings<const Required extends SettingName = never>(
  environment: Record<string, string | undefined>,
  required: readonly Required[] = [],
): Settings<Required> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const result = settingsSchema.safeParse(given);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path[0]?.toString()} ${issue.message}`);
  for (const name of required) {
    if (given[name] === undefined)
      problems.push(`${name} is missing. ${settingsSchema.shape[name].description}`);
  }
  if (!result.success || problems.length > 0) throw new SettingsError([...new Set(problems)].sort());
  return result.data as Settings<Required>;
}
