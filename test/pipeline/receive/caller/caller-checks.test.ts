import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CallbackTokens, CallerChecks } from "../../../../src/pipeline/receive/caller/verifiers.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../../../src/platform/config/settings.ts";
import { type CallbackChecks, callbackChecksSchema } from "../../../../src/platform/config/sources-file.ts";

const SHORT = "short-token-0123456789";
const LONG = "longer-token-0123456789abcdef-ABCDEF_42";

/** The source `default`, with these settings. */
function sourceWith(changes: Record<string, string>) {
  const environment = {
    ...{ PUBLIC_URL: "https://relay.example.com", DATABASE_URL: "postgres://localhost/relay" },
    ...{ COLLECTION_API_URL: "https://api.example.com", COLLECTION_API_KEY: "an-api-key-0123456789" },
    ...{ CALLBACK_TOKENS: `${SHORT},${LONG}`, AWS_REGION: "eu-west-1" },
    ...{ SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:invoice-events", ...changes },
  };
  return sourcesOf(readSettings(environment, SERVE_REQUIRES));
}

it("a token in a URL is known when it is one of those configured, in full and nothing more", () => {
  const tokens = new CallbackTokens(sourceWith({}));
  for (const token of [SHORT, LONG]) expect(tokens.sourceOf(token)?.name).toBe("default");
  const others = ["", "\0", LONG.slice(0, -1), `${SHORT}\0`, `${LONG}x`, SHORT + LONG, SHORT.toUpperCase()];
  for (const token of others) expect(tokens.sourceOf(token)).toBeNull();
});

const SECRET = "a-secret-for-signatures-0123456789";
const WEBHOOK_SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const BODY = '{"event":"payment.successful","note":"ÄÖ\u{1F4B6}"}';

/** Signed by hand from the specifications, not by our own code. */
const hmac = (algorithm: string, encoding: "hex" | "base64", secret = SECRET) =>
  createHmac(algorithm, secret).update(BODY).digest(encoding);
const HMAC = hmac("sha256", "hex");

/** The check that a callback from 203.0.113.7 fails; null when it passes them all. */
function failed(changes: Record<string, string>, headers: Record<string, string>, body = BODY) {
  const [source] = sourceWith(changes);
  if (source === undefined) throw new Error("there is no source");
  const caller = { headers, body: Buffer.from(body), address: "203.0.113.7" };
  return new CallerChecks(source.callbackChecks).failedBy(caller);
}

describe("a check", () => {
  const hub = {
    CALLBACK_HMAC_ALGORITHM: "sha512",
    CALLBACK_HMAC_PREFIX: "sha512=",
    CALLBACK_HMAC_HEADER: "X-Hub",
  };
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ["hex", {}, { "x-signature": HMAC }],
    ["hex in capitals", {}, { "x-signature": HMAC.toUpperCase() }],
    ["base64", {}, { "x-signature": hmac("sha256", "base64") }],
    ["SHA-512 behind a prefix, in a header of its own", hub, { "x-hub": `sha512=${hmac("sha512", "hex")}` }],
    [
      "the older of two secrets",
      { CALLBACK_HMAC_SECRETS: `another-secret-of-some-length,${SECRET}` },
      { "x-signature": HMAC },
    ],
  ])("takes an HMAC over the raw bytes: %s", (_name, changes, headers) => {
    const settings = { CALLBACK_HMAC_SECRETS: SECRET, ...changes };
    expect(failed(settings, headers)).toBeNull();
    expect(failed(settings, headers, `${BODY} `)).toBe("hmac");
  });

  // A CDN strips a header; another secret makes it wrong: two things to look at.
  it.each([
    ["missing", undefined, "header_missing"],
    ["empty", "", "header_missing"],
    ["nothing but its prefix", "sha256=", "hmac"],
    ["behind another prefix", `sha512=${HMAC}`, "hmac"],
    ["shortened", `sha256=${HMAC.slice(0, 62)}`, "hmac"],
    ["foreign", `sha256=${hmac("sha256", "hex", "x")}`, "hmac"],
    ["right", `sha256=${HMAC}`, null],
  ])("of an HMAC that is %s", (_how, signature, check) => {
    const headers: Record<string, string> = signature === undefined ? {} : { "x-signature": signature };
    expect(failed({ CALLBACK_HMAC_SECRETS: SECRET, CALLBACK_HMAC_PREFIX: "sha256=" }, headers)).toBe(check);
  });

  it.each([
    [SECRET, null],
    [`${SECRET}x`, "header_token"],
    ["", "header_missing"],
  ])("of a token in a header, one of several: %j", (token, check) => {
    const settings = {
      CALLBACK_HEADER_TOKENS: `first-token-0123456789,${SECRET}`,
      CALLBACK_HEADER_NAME: "X-Verify",
    };
    expect(failed(settings, { "x-verify": token })).toBe(check);
  });

  it.each([
    [["203.0.113.0/24"], null],
    [["198.51.100.1", "203.0.113.7"], null],
    [["198.51.100.0/24"], "address"],
  ])("of the address: %j", (blocks, check) => {
    expect(failed({ CALLBACK_ALLOWED_ADDRESSES: blocks.join(",") }, {})).toBe(check);
  });

  it("takes Standard Webhooks within five minutes either way, and neither older nor changed ones", () => {
    const signed = (minutes = 0): Record<string, string> => {
      const timestamp = String(Math.floor(Date.now() / 1_000 + minutes * 60));
      const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
      const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.${BODY}`).digest("base64");
      return {
        "webhook-id": "msg_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,AAAA v1,${signature}`,
      };
    };
    const check = (headers: Record<string, string>, body = BODY) =>
      failed({ CALLBACK_WEBHOOK_SECRETS: WEBHOOK_SECRET }, headers, body);
    for (const minutes of [0, -4, 4]) expect(check(signed(minutes))).toBeNull();
    for (const minutes of [-6, 6]) expect(check(signed(minutes))).toBe("standard_webhook");
    expect(check(signed(), `${BODY} `)).toBe("standard_webhook");
    for (const changed of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      expect(check({ ...signed(), [changed]: "soon" })).toBe("standard_webhook");
    expect(check({})).toBe("header_missing");
  });
});

/** Each check as demanding as can be. A new one does not compile before it stands here. */
const DEMANDING: Record<keyof CallbackChecks, unknown> = {
  hmac: { secrets: [SECRET] },
  headerToken: { tokens: [SECRET] },
  standardWebhooks: { secrets: [WEBHOOK_SECRET] },
  allowedAddresses: ["198.51.100.1"],
};
const schema = callbackChecksSchema((format) => z.array(format));

it.each(Object.keys(schema.shape) as (keyof CallbackChecks)[])(
  "the check %s is enforced: alone, it refuses whoever proves nothing (G3)",
  (name) => {
    const checks = new CallerChecks(schema.parse({ [name]: DEMANDING[name] }));
    expect(checks.failedBy({ headers: {}, body: Buffer.from(BODY), address: "203.0.113.7" })).not.toBeNull();
    const headers = Object.fromEntries(checks.headers.map((header) => [header, "wrong"]));
    expect(checks.failedBy({ headers, body: Buffer.from(BODY), address: "203.0.113.7" })).not.toBeNull();
  },
);
