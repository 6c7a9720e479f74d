import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  readSettings,
  SERVE_REQUIRES,
  SettingsError,
  sourceNamesOf,
  sourcesOf,
} from "../../src/kit/settings.ts";
import { readSourcesFile } from "../../src/kit/sources-file.ts";
import { sourcesFile } from "../support/sources-file.ts";

const ENVIRONMENT = {
  PUBLIC_URL: "https://relay.example.com",
  DATABASE_URL: "postgres://user:password@127.0.0.1/db",
  AWS_REGION: "eu-west-1",
};
const SHOP = {
  name: "shop-a",
  collectionApiUrl: "https://api.example.com/",
  collectionApiKey: "env:SHOP_A_KEY",
  callbackTokens: ["env:SHOP_A_TOKEN"],
  snsTopicArn: "arn:aws:sns:eu-west-1:123456789012:a",
};
const SECRETS = { SHOP_A_KEY: "secret-key-of-a", SHOP_A_TOKEN: "secret-token-of-a-0123456" };

const OTHER = ["written-out-0123456789abc"];

const read = (content: unknown, changes: Record<string, string> = {}) =>
  readSettings(
    { ...ENVIRONMENT, ...SECRETS, SOURCES_FILE: sourcesFile(content), ...changes },
    SERVE_REQUIRES,
  );
function problemsOf(content: unknown, changes: Record<string, string> = {}): readonly string[] {
  try {
    read(content, changes);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
  }
  return [];
}

describe("SOURCES_FILE", () => {
  it.each([
    ["in quotes", '"a-key"'],
    ["with a line end", "a-key\n"],
  ])("refuses a secret %s, written out or named, and repeats none", (_, key) => {
    const written = problemsOf({ sources: [{ ...SHOP, collectionApiKey: key }] });
    const named = problemsOf({ sources: [SHOP] }, { SHOP_A_KEY: key });
    expect(written).toEqual([expect.stringMatching(/^SOURCES_FILE: sources\[0\]\.collectionApiKey /)]);
    expect(named).toEqual([expect.stringMatching(/collectionApiKey refers to SHOP_A_KEY, which /)]);
    expect([...written, ...named].join()).not.toContain("a-key");
  });

  it("is taken as examples/sources.json shows it", () => {
    const { sources, problems } = readSourcesFile(
      resolve(import.meta.dirname, "../../examples/sources.json"),
      {
        ...{
          SHOP_A_KEY: "a-secret-key",
          SHOP_A_HMAC: "a-secret-of-some-length",
          SHOP_A_HEADER: "a-secret-of-some-length",
        },
        SHOP_A_TOKEN: "a-token-of-22-characters-",
        SHOP_A_WEBHOOK: `whsec_${Buffer.alloc(24, "a").toString("base64")}`,
      },
    );
    expect(problems).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(["shop-a"]);
  });

  it("describes several sources, their secrets taken from the environment or written out", () => {
    const other = {
      ...SHOP,
      name: "shop-b",
      collectionApiKey: "written-out",
      callbackTokens: ["written-out-0123456789abc"],
      collectionIds: ["AAAAAAAA-0000-4000-8000-000000000001"],
      callbackChecks: { hmac: { secrets: ["a-secret-of-16-and-more"], prefix: "sha256=" } },
    };
    const sources = sourcesOf(read({ sources: [SHOP, other] }));
    expect(sources.map(({ name }) => name)).toEqual(["shop-a", "shop-b"]);
    expect(sources.map((source) => source.collectionApiKey.reveal())).toEqual([
      "secret-key-of-a",
      "written-out",
    ]);
    expect(sources[0]).toMatchObject({
      collectionApiUrl: "https://api.example.com",
      collectionIds: [],
      snsTestTopicArn: null,
      callbackChecks: { hmac: null, headerToken: null, standardWebhooks: null, allowedAddresses: [] },
    });
    expect(sources[1]).toMatchObject({
      collectionIds: ["aaaaaaaa-0000-4000-8000-000000000001"],
      callbackChecks: { hmac: { header: "x-signature", algorithm: "sha256", prefix: "sha256=" } },
    });
  });

  it("gives each source the books' zone and currency, its own or those of all", () => {
    const own = {
      ...SHOP,
      name: "own",
      booksTimeZone: "Europe/London",
      currency: "GBP",
      callbackTokens: OTHER,
    };
    const booksOf = (changes: Record<string, string>) =>
      sourcesOf(read({ sources: [SHOP, own] }, changes)).map((source) => [
        source.booksTimeZone,
        source.currency,
      ]);
    expect(booksOf({})).toEqual([
      ["UTC", "NGN"],
      ["Europe/London", "GBP"],
    ]);
    expect(booksOf({ BOOKS_TIME_ZONE: "Africa/Accra", CURRENCY: "GHS" })).toEqual([
      ["Africa/Accra", "GHS"],
      ["Europe/London", "GBP"],
    ]);
    expect(
      problemsOf({ sources: [{ ...SHOP, booksTimeZone: "+01:00", currency: "naira" }] }, { CURRENCY: "ngn" }),
    ).toEqual([
      "CURRENCY should be an ISO 4217 currency such as NGN",
      "SOURCES_FILE: sources[0].booksTimeZone should be the name of an IANA time zone such as UTC or Africa/Lagos",
      "SOURCES_FILE: sources[0].currency should be an ISO 4217 currency such as NGN",
    ]);
  });

  it("tells every problem at once, each with its place in the file, and no value", () => {
    const content = {
      sources: [
        { ...SHOP, name: "Shop A", callbackTokens: ["short-secret", "env:NOT_SET"], colectionIds: [] },
        {
          ...SHOP,
          collectionApiUrl: "http://user:hidden@api.example.com",
          collectionApiKey: 17,
          callbackChecks: { hmac: { secrets: [] }, allowedAddresses: ["300.0.0.1/8"] },
        },
      ],
    };
    const problems = problemsOf(content, { PORT: "hidden" });
    expect(problems).toEqual(
      [
        "PORT should be a whole number from 0 to 65535",
        "SOURCES_FILE: sources[0].callbackTokens[0] should be 22 or more characters, each a letter, a digit, - or _ (try: openssl rand -hex 16)",
        "SOURCES_FILE: sources[0].callbackTokens[1] refers to NOT_SET, which is not set",
        "SOURCES_FILE: sources[0].name should be 1 to 40 lower-case letters, digits or hyphens",
        'SOURCES_FILE: sources[0] is wrong: Unrecognized key: "colectionIds"',
        "SOURCES_FILE: sources[1].callbackChecks.allowedAddresses[0] should be IP addresses or blocks of them, such as 203.0.113.7 or 203.0.113.0/24",
        "SOURCES_FILE: sources[1].callbackChecks.hmac.secrets should name at least one",
        "SOURCES_FILE: sources[1].collectionApiKey is wrong: Invalid input: expected string, received number",
        "SOURCES_FILE: sources[1].collectionApiUrl should hold no user name or password",
      ].sort(),
    );
    expect(problems.join()).not.toMatch(/short-secret|hidden|secret-key/);
  });

  it("that is no JSON, or not there, says so without quoting it", () => {
    expect(problemsOf('{"sources": [{"collectionApiKey": "secret-key" oops')[0]).toMatch(
      /sources.json is not JSON$/,
    );
    const missing = problemsOf("", { SOURCES_FILE: "/no/such/file.json" });
    expect(missing).toEqual(["SOURCES_FILE: /no/such/file.json cannot be read (ENOENT)"]);
  });

  it("refuses two sources of one name, or with one token", () => {
    expect(problemsOf({ sources: [SHOP, SHOP] })).toEqual([
      "SOURCES_FILE: sources[1].callbackTokens[0] is a token of sources[0] as well",
      "SOURCES_FILE: sources[1].name is another source's name",
    ]);
  });

  it("refuses a topic for Test invoices that takes another source's payments", () => {
    const other = { ...SHOP, name: "shop-b", callbackTokens: ["written-out-0123456789abc"] };
    expect(problemsOf({ sources: [SHOP, { ...other, snsTestTopicArn: SHOP.snsTopicArn }] })).toEqual([
      expect.stringMatching(
        /^SOURCES_FILE: sources\[1\]\.snsTestTopicArn is the snsTopicArn of sources\[\d\]/,
      ),
    ]);
  });

  it("stands instead of the variables of the one source: those are then refused, not silently ignored", () => {
    expect(problemsOf({ sources: [SHOP] })).toEqual([]);
    expect(
      problemsOf({ sources: [SHOP] }, { COLLECTION_API_KEY: "k", CALLBACK_HMAC_PREFIX: "sha256=" }),
    ).toEqual([
      "CALLBACK_HMAC_PREFIX describes one source; with SOURCES_FILE, write it there and unset it here",
      "COLLECTION_API_KEY describes one source; with SOURCES_FILE, write it there and unset it here",
    ]);
  });

  it("or the variables are needed", () => {
    expect(() => readSettings(ENVIRONMENT, SERVE_REQUIRES)).toThrow(/COLLECTION_API_KEY is missing/);
    expect(() => sourcesOf(readSettings(ENVIRONMENT))).toThrow(/or a SOURCES_FILE/);
    expect(sourceNamesOf(readSettings(ENVIRONMENT))).toBeNull();
    expect(sourceNamesOf(readSettings({ ...ENVIRONMENT, COLLECTION_API_KEY: "k" }))).toEqual(["default"]);
    expect(sourceNamesOf(read({ sources: [SHOP] }))).toEqual(["shop-a"]);
  });
});
