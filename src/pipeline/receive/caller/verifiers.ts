import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Alarm } from "../../../platform/alarms/index.ts";
import { type CallbackChecks, type FailedCheck, isSet, type Source } from "../../../platform/config/index.ts";
import { AddressBlocks } from "../../../platform/http/index.ts";

/** The demands of a source on its callers beyond the token. */
export class CallerChecks {
  readonly #verifiers: ReturnType<typeof verifiersOf>;
  /** Headers that the checks read, in lower case. */
  readonly headers: readonly string[];

  constructor(checks: CallbackChecks) {
    this.#verifiers = verifiersOf(checks);
    this.headers = checkedHeaders(checks);
  }

  /** @returns the first check that failed, null when all hold. */
  failedBy(caller: Caller): FailedCheck | null {
    const failed = this.#verifiers.find(({ passes }) => !passes(caller));
    if (failed === undefined) return null;
    // A CDN or proxy strips headers; a wrong value means another secret.
    const isStripped = failed.header !== null && !caller.headers[failed.header];
    return isStripped ? "header_missing" : failed.failure;
  }
}

/** The headers that these checks read: each holds a secret, or something made with one. */
export const checkedHeaders = (checks: CallbackChecks): string[] =>
  verifiersOf(checks).flatMap(({ header }) => header ?? []);

/**
 * Written with the callback that failed the check (G13).
 * @param headers those that the source's checks read
 */
export const refusedAlarm = (source: string, check: FailedCheck, headers: readonly string[]): Alarm => ({
  name: "callback_refused",
  source,
  subject: check,
  detail: `${
    check === "header_missing"
      ? `Callbacks with a right token come without the header ${headers.join(" or ")}: a CDN or proxy in front ` +
        "strips it, the provider does not send it, or someone forges them. "
      : `Callbacks with a right token fail the check "${check}": someone forges them, or a secret or ` +
        "address changed. "
  }They are kept as refused and ask nothing.`,
});

/** Which source a URL's token belongs to. Every known token is compared in full: the time says only its length. */
export class CallbackTokens {
  readonly #known: { bytes: Buffer; source: Source }[];

  constructor(sources: readonly Source[]) {
    this.#known = sources.flatMap((source) =>
      source.callbackTokens.map((token) => ({ bytes: Buffer.from(token.reveal()), source })),
    );
  }

  sourceOf(token: string): Source | null {
    const given = Buffer.from(token);
    let found: Source | null = null;
    for (const { bytes, source } of this.#known)
      if (bytes.length === given.length && timingSafeEqual(bytes, given)) found = source;
    return found;
  }
}

export interface Caller {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  address: string;
}

interface Verifier<Check> {
  /** Recorded of a callback that does not pass. */
  failure: FailedCheck;
  /** The header that it reads, in lower case: it holds a secret, or something made with one. */
  header?: (check: Check) => string;
  /** Made once for a source. @returns whether a caller passes */
  verify: (check: Check) => (caller: Caller) => boolean;
}

type Given<Check> = NonNullable<Check>;

/** A verifier for each check of the settings, in order of cost: a check without one does not compile. */
const VERIFIERS: { readonly [Name in keyof CallbackChecks]: Verifier<Given<CallbackChecks[Name]>> } = {
  allowedAddresses: {
    failure: "address",
    verify: (allowed) => {
      const blocks = new AddressBlocks(allowed);
      return ({ address }) => blocks.has(address);
    },
  },
  headerToken: {
    failure: "header_token",
    header: ({ header }) => header,
    verify:
      ({ header, tokens }) =>
      ({ headers }) => {
        const given = single(headers[header]) ?? "";
        return tokens.map((token) => token.equals(given)).includes(true);
      },
  },
  hmac: {
    failure: "hmac",
    header: ({ header }) => header,
    verify:
      (check) =>
      ({ headers, body }) =>
        hmacHolds(check, single(headers[check.header]), body),
  },
  standardWebhooks: {
    failure: "standard_webhook",
    header: () => "webhook-signature",
    verify:
      (check) =>
      ({ headers, body }) =>
        standardWebhookHolds(check, headers, body, new Date()),
  },
};

interface BoundVerifier {
  failure: FailedCheck;
  header: string | null;
  passes: (caller: Caller) => boolean;
}

/** The verifiers of the checks that a source sets (interface, part C: for when a provider signs). */
function verifiersOf(checks: CallbackChecks): BoundVerifier[] {
  const bind = <Name extends keyof CallbackChecks>(name: Name): BoundVerifier[] => {
    const { failure, header, verify }: Verifier<Given<CallbackChecks[Name]>> = VERIFIERS[name];
    const check = checks[name];
    if (!isSet(check)) return [];
    return [{ failure, header: header?.(check) ?? null, passes: verify(check) }];
  };
  return (Object.keys(VERIFIERS) as (keyof CallbackChecks)[]).flatMap((name) => bind(name));
}

const single = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;

/** Whether the header holds an HMAC of the raw bytes under one of the secrets, as hex or base64 behind the prefix. */
function hmacHolds(
  check: NonNullable<CallbackChecks["hmac"]>,
  header: string | undefined,
  body: Uint8Array,
): boolean {
  if (header === undefined || !header.startsWith(check.prefix)) return false;
  const given = decode(header.slice(check.prefix.length).trim(), check.algorithm === "sha256" ? 32 : 64);
  if (given === null) return false;
  const matches = check.secrets.map((secret) =>
    sameBytes(createHmac(check.algorithm, secret.reveal()).update(body).digest(), given),
  );
  return matches.includes(true);
}

/** Hex and base64 of a digest differ in length, so the length tells which was sent. */
function decode(text: string, bytes: number): Buffer | null {
  if (text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  const decoded = Buffer.from(text, "base64");
  return decoded.length === bytes ? decoded : null;
}

/** How far the sender's clock may be off, and how old a copied request may be; the specification's five minutes. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Whether a request is signed as the Standard Webhooks specification says: HMAC-SHA256 over
 * `<webhook-id>.<webhook-timestamp>.<body>`, base64 behind `v1,`, several separated by spaces while a secret
 * is rotated. Over the raw bytes: the specification's own library reads them as text, which changes broken
 * UTF-8.
 */
function standardWebhookHolds(
  check: NonNullable<CallbackChecks["standardWebhooks"]>,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  now: Date,
): boolean {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() - Number(timestamp) * 1_000) > TOLERANCE_MS)
    return false;
  const given = signatures
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, 10)
    .map((signature) => Buffer.from(signature.slice("v1,".length), "base64"));
  const matches = check.secrets.flatMap((secret) => {
    const key = Buffer.from(secret.reveal().slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.map((signature) => sameBytes(expected, signature));
  });
  return matches.includes(true);
}

/** Compares in constant time; lengths are no secret. */
const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
