import { z } from "zod";
import type { Secret } from "../values/index.ts";
import { addressBlock, headerName, list, secret, webhookSecret } from "./setting-formats.ts";

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

/** What a callback must prove beyond its token, where the provider offers it. Every check that is set must pass. */
export type CallbackChecks = z.output<ReturnType<typeof callbackChecksSchema>>;

/** Whether a check demands anything. */
export const isSet = <Check>(check: Check): check is NonNullable<Check> =>
  Array.isArray(check) ? check.length > 0 : check !== null;

/** Whether a callback must prove anything beyond its token. */
export const hasChecks = (checks: CallbackChecks): boolean => Object.values(checks).some(isSet);

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
