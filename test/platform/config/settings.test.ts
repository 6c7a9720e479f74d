import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "../../../src/platform/config/settings.ts";
import { expectGolden } from "../../support/golden.ts";

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const LIVE = "arn:aws:sns:eu-west-1:123456789012:payments";
const TOKEN = "a-token-of-22-characters-or-more";

/** What would do harm. */
const HARMFUL: [string, Record<string, string>][] = [
  ["months written as minutes", { PERSONAL_DATA_RETENTION: "6m" }],
  ["the same for callbacks", { RETENTION: "400m" }],
  ["nothing kept at all", { RETENTION: "0d" }],
  ["leases that are over at once", { LEASE_DURATION: "0s" }],
  ["leases longer than a timer runs", { LEASE_DURATION: "124d" }],
  ["senders that may stay for ever", { REQUEST_TIMEOUT: "0s" }],
  ["answers waited for longer than the client waits", { CONFIRM_TIMEOUT: "20m" }],
  ["lists read more often than work is looked for", { RECONCILE_INTERVAL: "999ms" }],
  ["a number that is none", { CALLBACK_ACK_STATUS: "0xCC" }],
  ["callback URLs that never arrive", { PUBLIC_URL: "https://relay.example.com/?a=b" }],
  ["one port for both", { OPS_PORT: "4000", PORT: "4000" }],
  ["Test invoices published as payments", { SNS_TEST_TOPIC_ARN: LIVE, SNS_TOPIC_ARN: LIVE }],
  ["every invoice paid from its start", { PAID_STATUSES: "Paid, unpaid" }],
  ["a status that means both", { PAID_STATUSES: "Paid,INVALID" }],
  ["one token in two roles", { ADMIN_TOKENS: `a:read:${TOKEN},b:admin:${TOKEN}` }],
  ["an answer with a body it cannot have", { CALLBACK_ACK_BODY: "ok", CALLBACK_ACK_STATUS: "204" }],
  ["quotes that an env file keeps", { COLLECTION_API_KEY: '"a-key"' }],
  ["a line end after a secret", { COLLECTION_API_KEY: "a-key\n" }],
  ["a blank before a name", { CURRENCY: " NGN" }],
  ["a public address with a path", { PUBLIC_URL: "https://example.com/relay" }],
  ["a password as a host's name", { COLLECTION_API_URL: "https://me:12/34@example.com" }],
];

describe("a setting that would do harm is refused before anything starts", () => {
  it("in words that say what to write instead", async () => {
    const said = HARMFUL.map(([what, environment]) => [what, ...problemsOf(environment)].join("\n  "));
    await expectGolden("settings-refused", said.join("\n"));
  });

  it.each(["p@s", "p#s", "p/s", "p?s", "1#s", "1/s", "1?s", "p@s/w", "p@s#w", "p%s"])(
    "a password %s that is not percent-encoded, of which nothing is repeated",
    (password) => {
      const url = (written: string) => `postgres://relay:${written}@db.example.com:5432/relay`;
      const problems = problemsOf({ DATABASE_URL: url(password) });
      expect(problems).toEqual([expect.stringContaining("DATABASE_URL")]);
      expect(problems.join()).not.toContain(password);
      expect(problemsOf({ DATABASE_URL: url(encodeURIComponent(password)) })).toEqual([]);
    },
  );

  it("what only looks like it is taken", () => {
    const lookAlike = { PORT: "0", OPS_PORT: "0", PERSONAL_DATA_RETENTION: "180d", RECONCILE_INTERVAL: "1s" };
    expect(problemsOf({ ...lookAlike, CALLBACK_ACK_BODY: '"ok"\n' })).toEqual([]);
    // Whatever version and variant its bits name.
    const id = "B8E1A2D0-5F6E-4D3C-2F61-08D9F5D1B3A4";
    expect(readSettings({ COLLECTION_IDS: id }).COLLECTION_IDS).toEqual([id.toLowerCase()]);
  });
});
