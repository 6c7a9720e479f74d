import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "../../src/kit/settings.ts";

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

describe("a setting that would do harm is refused before anything starts", () => {
  it.each([
    ["months written as minutes", { PERSONAL_DATA_RETENTION: "6m" }, /in days, such as 180d/],
    ["the same for callbacks", { RETENTION: "400m" }, /in days, such as 180d/],
    ["nothing kept at all", { RETENTION: "0d" }, /from 1s to 36500d/],
    ["leases that are over at once", { LEASE_DURATION: "0s" }, /from 100ms to 1h/],
    ["leases longer than a timer runs", { LEASE_DURATION: "124d" }, /from 100ms to 1h/],
    ["senders that may stay for ever", { REQUEST_TIMEOUT: "0s" }, /from 100ms to 10m/],
    ["answers waited for longer than the client waits", { CONFIRM_TIMEOUT: "20m" }, /from 100ms to 10m/],
    ["lists read more often than work is looked for", { RECONCILE_INTERVAL: "999ms" }, /from 1s to 20d/],
    ["a number that is none", { CALLBACK_ACK_STATUS: "0xCC" }, /whole number from 200 to 299/],
    ["callback URLs that never arrive", { PUBLIC_URL: "https://relay.example.com/?a=b" }, /without \? and #/],
    ["one port for both", { PORT: "4000", OPS_PORT: "4000" }, /^OPS_PORT is the same as PORT/],
    ["Test invoices told as payments", { SNS_TOPIC_ARN: LIVE, SNS_TEST_TOPIC_ARN: LIVE }, /^SNS_TEST_TOPIC/],
    [
      "every invoice paid from its start",
      { PAID_STATUSES: "Paid, unpaid" },
      /with which every invoice begins/,
    ],
    ["a status that means both", { PAID_STATUSES: "Paid,INVALID" }, /hold the same status/],
    ["one token in two roles", { ADMIN_TOKENS: `a:read:${TOKEN},b:admin:${TOKEN}` }, /the same token twice/],
    [
      "an answer with a body it cannot have",
      { CALLBACK_ACK_STATUS: "204", CALLBACK_ACK_BODY: "ok" },
      /no body/,
    ],
    [
      "quotes that an env file keeps",
      { COLLECTION_API_KEY: '"a-key"' },
      /^COLLECTION_API_KEY stands in quotes/,
    ],
    ["a line end after a secret", { COLLECTION_API_KEY: "a-key\n" }, /^COLLECTION_API_KEY begins or ends/],
    ["a blank before a name", { CURRENCY: " NGN" }, /^CURRENCY /],
    ["a public address with a path", { PUBLIC_URL: "https://example.com/relay" }, /^PUBLIC_URL .*no path/],
    ["a password as a host's name", { COLLECTION_API_URL: "https://me:12/34@example.com" }, /no user name/],
  ])("%s", (_, environment, problem) => {
    expect(problemsOf(environment)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });

  it.each(["p@s", "p#s", "p/s", "p?s", "1#s", "1/s", "1?s", "p@s/w", "p@s#w", "p%s"])(
    "a password %s that is not percent-encoded, of which nothing is repeated",
    (password) => {
      const problems = problemsOf({ DATABASE_URL: `postgres://relay:${password}@db.example.com:5432/relay` });
      expect(problems).toEqual([
        expect.stringMatching(/^DATABASE_URL should have its password percent-encoded/),
      ]);
      const encoded = `postgres://relay:${encodeURIComponent(password)}@db.example.com:5432/relay`;
      expect(problemsOf({ DATABASE_URL: encoded })).toEqual([]);
    },
  );

  it("a body that is sent as it is may stand in quotes and end with a line end", () => {
    expect(problemsOf({ CALLBACK_ACK_BODY: '"ok"\n' })).toEqual([]);
  });

  it("what only looks like it is taken", () => {
    expect(
      problemsOf({ PORT: "0", OPS_PORT: "0", PERSONAL_DATA_RETENTION: "180d", RECONCILE_INTERVAL: "1s" }),
    ).toEqual([]);
  });
});

it("a collection's id may be any UUID, whatever version and variant its bits name", () => {
  const id = "B8E1A2D0-5F6E-4D3C-2F61-08D9F5D1B3A4";
  expect(readSettings({ COLLECTION_IDS: id }).COLLECTION_IDS).toEqual([id.toLowerCase()]);
});
