import { createPrivateKey, hash, type KeyObject } from "node:crypto";
import { z } from "zod";
import { isAddressBlock, isLoopbackHost } from "../http/index.ts";
import { readAs } from "../validation/index.ts";
import { type Role, Secret } from "../values/index.ts";

// Formats of settings, in the environment and in SOURCES_FILE alike. No message repeats the value. `kind` is a
// format's name in documents. Documents mark values that are `secret`, and Lambda's stages refuse them.

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const duration = readAs((text) => {
  const [, amount, unit = ""] = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  return amount === undefined ? null : Number(amount) * (DURATION_UNITS[unit] as number);
}, "should be a duration such as 500ms, 20s, 10m, 6h or 35d").meta({ kind: "duration" });

/** A duration in ms between two limits: beyond them a timer would stop, or run all the time. */
export function durationFrom(least: string, most: string) {
  const [from, to] = [duration.parse(least), duration.parse(most)];
  return duration
    .pipe(z.number().refine((ms) => ms >= from && ms <= to, { error: `should be from ${least} to ${most}` }))
    .meta({ kind: `duration, ${least} to ${most}` });
}

/** How long data is kept before it is deleted for good. 6m is refused: its author means months, not minutes. */
export const keepingTime = z
  .string()
  .refine((text) => !/\dm$/.test(text.trim()), {
    error: "should be in days, such as 180d: m would be minutes, and what is deleted is gone",
    abort: true,
  })
  .pipe(durationFrom("1s", "36500d"));

export const wholeNumber = (least: number, most: number) =>
  readAs((text) => {
    const number = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : null;
  }, `should be a whole number from ${least} to ${most}`).meta({ kind: `number, ${least} to ${most}` });

/**
 * Says of a value that it stands in quotes, which `docker --env-file` keeps, or that a blank or line end surrounds
 * it, as a secret from a file has; null for any other. Parsed as it is, a wrong key would be sent to the provider.
 */
export function untidiness(text: string): string | null {
  if (/^(["'`])[\s\S]*\1$/.test(text.trim()))
    return "stands in quotes, which are part of the value here; remove them";
  return text === text.trim() ? null : "begins or ends with a blank or a line end; remove it";
}

/** An unescaped delimiter in a password would make a host or a path of its rest, and errors name hosts. */
const PLAIN_AUTHORITY = /^[a-z]+:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:[/?][^@#]*)?$/i;
const HAS_BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** A URL whose password holds an unescaped delimiter: the password's beginning passes for a port. */
const HIDDEN_PASSWORD = /^[a-z]+:\/\/[^/?#@]*:\d*[/?#].*@/i;

/** An address of the web without a user's name. @param example of one. @param hint where keys go instead. */
export const webAddress = (example: string, hint = "") =>
  z
    .string()
    .refine((text) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? ""), {
      error: `should be a URL such as ${example}`,
      abort: true,
    })
    .refine((text) => new URL(text).username + new URL(text).password === "" && !HIDDEN_PASSWORD.test(text), {
      error: `should hold no user name or password${hint}`,
      abort: true,
    })
    .meta({ kind: "URL" });

export const url = webAddress("https://relay.example.com")
  .refine((text) => new URL(text).protocol !== "http:" || isLoopbackHost(new URL(text).hostname), {
    error: "should start with https:// (plain http is accepted for loopback addresses only)",
    abort: true,
  })
  .transform((text) => text.replace(/\/+$/, ""))
  .meta({ kind: "URL" });

/** A URL that paths are put behind. */
export const baseUrl = url.refine((text) => !/[?#]/.test(text), {
  error: "should end with the host or a path, without ? and #",
});

/** A URL without a path: callbacks, console and keys have theirs from the root. */
export const originUrl = baseUrl.refine((text) => new URL(text).pathname === "/", {
  error: "should end with the host or its port: the relay answers /callbacks/ and no path before it",
});

/** A URL that a heading's `#name` is put behind. */
export const pageUrl = url.refine((text) => !text.includes("#"), { error: "should end before the #" });

/** A URL that is a secret itself, since it lets its holder post there. */
export const secretUrl = url.transform((text) => new Secret(text)).meta({ kind: "URL", secret: true });

export const databaseUrl = z
  .string()
  .refine(
    (text) =>
      !/^postgres(?:ql)?:/i.test(text) || (PLAIN_AUTHORITY.test(text) && !HAS_BROKEN_ESCAPE.test(text)),
    {
      error:
        "should have its password percent-encoded: write @ as %40, # as %23, / as %2F, ? as %3F and % as %25",
      abort: true,
    },
  )
  .refine((text) => ["postgres:", "postgresql:"].includes(URL.parse(text)?.protocol ?? ""), {
    error: "should be a Postgres URL such as postgres://user:password@host:5432/invoice_relay",
    abort: true,
  })
  .transform((text) => new Secret(text))
  .meta({ kind: "URL", secret: true });

export const secret = (least: number) =>
  z
    .string()
    .min(least, `should have at least ${least} characters`)
    .regex(/^\S+$/, "should hold no spaces")
    .transform((text) => new Secret(text))
    .meta({ kind: least > 1 ? `${least} or more characters` : "text", secret: true });

export const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item).min(1, "should name at least one, separated by commas"));

/** Any UUID, in lower case; RFC 9562's version and variant are not what every database writes. */
export const anyUuid = z.guid("should be a UUID").toLowerCase();

/** Collections by id; `none` says aloud that there are none. */
export const collectionIds = readAs(
  (text): string[] | null =>
    text.trim().toLowerCase() === "none" ? [] : (list(anyUuid).safeParse(text).data ?? null),
  "should be collection ids (UUIDs) separated by commas, or none",
).meta({ kind: "list of UUIDs, or none" });

export const urlToken = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{22,}$/,
    "should be 22 or more characters, each a letter, a digit, - or _ (try: openssl rand -hex 16)",
  )
  .transform((text) => new Secret(text))
  .meta({ kind: "22 or more characters", secret: true });

export const topicArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
    "should be an SNS topic ARN such as arn:aws:sns:eu-west-1:123456789012:invoice-events",
  )
  .meta({ kind: "ARN" });

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

export const timeZone = z
  .string()
  .refine(isZone, { error: "should be a time zone such as UTC or Africa/Lagos" })
  .meta({ kind: "time zone" });

/** A zone with a name, whose rules say when clocks change; an offset such as +01:00 has none. */
export const booksTimeZone = timeZone
  .refine((zone) => /^[A-Z]/i.test(zone), {
    error: "should be the name of an IANA time zone such as UTC or Africa/Lagos",
  })
  .meta({ kind: "time zone" });

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export const currency = z
  .string()
  .refine((code) => CURRENCIES.has(code), { error: "should be an ISO 4217 currency such as NGN" })
  .meta({ kind: "currency" });

export const sourceName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "should be 1 to 40 lower-case letters, digits or hyphens");

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "should be the name of a header, such as x-signature")
  .transform((name) => name.toLowerCase())
  .meta({ kind: "header" });

/** `whsec_` and base64, as the Standard Webhooks specification writes a secret of at least 24 bytes. */
export const webhookSecret = z
  .string()
  .refine(
    (text) => {
      const [, bytes] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
      return bytes !== undefined && Buffer.from(bytes, "base64").length >= 24;
    },
    { error: "should be whsec_ followed by 24 or more bytes in base64" },
  )
  .transform((text) => new Secret(text))
  .meta({ kind: "whsec_…", secret: true });

/** An address, or a block of them such as `203.0.113.0/24`. */
export const addressBlock = z
  .string()
  .refine(isAddressBlock, {
    error: "should be IP addresses or blocks of them, such as 203.0.113.7 or 203.0.113.0/24",
  })
  .meta({ kind: "address or block" });

/** A proxy whose X-Forwarded-For is believed: an address, a block, or one of Express' three names. */
export const proxyAddress = z
  .string()
  .refine((text) => ["loopback", "linklocal", "uniquelocal"].includes(text) || isAddressBlock(text), {
    error: "should be addresses, blocks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal",
  })
  .meta({ kind: "address, block or name" });

/** The format of a setting's value; formats stand within defaults, limits and lists. */
export function formatOf(schema: z.core.$ZodType): { kind: string; secret: boolean } | null {
  const { kind, secret } = z.globalRegistry.get(schema) ?? {};
  if (typeof kind === "string") return { kind, secret: secret === true };
  if (schema instanceof z.ZodArray) {
    const item = formatOf(schema.element);
    return { kind: item === null ? "list" : `list, each ${item.kind}`, secret: item?.secret ?? false };
  }
  if (schema instanceof z.ZodEnum) return { kind: schema.options.join(", "), secret: false };
  if (schema instanceof z.ZodPipe) return formatOf(schema.out) ?? formatOf(schema.in);
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) return formatOf(schema.unwrap());
  return null;
}

export interface AdminToken {
  /** As the audit log calls its holder. */
  name: string;
  role: Role;
  token: Secret;
}

/** An entry of ADMIN_TOKENS, `name:role:token`; a token alone may do all, and its name reveals no part of it. */
export const adminToken = readAs((text): AdminToken | null => {
  const [, name, role, token = text] =
    /^([a-z0-9][a-z0-9._-]{0,39}):(read|operate|admin):(.+)$/.exec(text) ?? [];
  if (token.includes(":") || !/^\S{22,}$/.test(token)) return null;
  return {
    name: name ?? hash("sha256", token).slice(0, 8),
    role: (role as Role | undefined) ?? "admin",
    token: new Secret(token),
  };
}, "should be name:role:token, the role read, operate or admin, the token 22 or more characters without spaces " +
  "and colons (try: openssl rand -hex 16)").meta({ kind: "name:role:token", secret: true });

/** Takes PEM, its line ends perhaps `\n`, or the PKCS8 in base64. @returns what is wrong with it. */
export function readSigningKey(text: string): KeyObject | string {
  const given = text.replaceAll("\\n", "\n").trim();
  try {
    const key = given.startsWith("-----")
      ? createPrivateKey(given)
      : createPrivateKey({ key: Buffer.from(given, "base64"), format: "der", type: "pkcs8" });
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The words below say what it should be.
  }
  return "should be an Ed25519 private key, in PEM or base64 (make one with: openssl genpkey -algorithm ed25519)";
}

export const signingKey = z
  .string()
  .transform((text, context) => {
    const key = readSigningKey(text);
    if (typeof key !== "string") return new Secret(text);
    context.addIssue(key);
    return z.NEVER;
  })
  .meta({ kind: "Ed25519 private key, PEM or base64", secret: true });
