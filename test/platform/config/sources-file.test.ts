import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  readSettings,
  SERVE_REQUIRES,
  SettingsError,
  sourceNamesOf,
  sourcesOf,
} from "../../../src/platform/config/settings.ts";
import { readSourcesFile } from "../../../src/platform/config/sources-file.ts";
import { expectGolden } from "../../support/golden.ts";
import { sourcesFile } from "../../support/sources-file.ts";

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
const OTHER = { ...SHOP, name: "shop-b", callbackTokens: ["written-out-0123456789abc"] };
const SECRETS = { SHOP_A_KEY: "secret-key-of-a", SHOP_A_TOKEN: "secret-token-of-a-0123456" };

const read = (content: unknown, changes: Record<string, string> = {}) => {
  const environment = { ...ENVIRONMENT, ...SECRETS, SOURCES_FILE: sourcesFile(content), ...changes };
  return readSettings(environment, SERVE_REQUIRES);
};
function problemsOf(content: unknown, changes: Record<string, string> = {}): readonly string[] {
  try {
    read(content, changes);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
  }
  return [];
}

describe("SOURCES_FILE", () => {
  it("is taken as examples/sources.json shows it", () => {
    const file = resolve(import.meta.dirname, "../../../examples/sources.json");
    const { sources, problems } = readSourcesFile(file, {
      ...{ SHOP_A_KEY: "a-secret-key", SHOP_A_TOKEN: "a-token-of-22-characters-" },
      ...{ SHOP_A_HMAC: "a-secret-of-some-length", SHOP_A_HEADER: "a-secret-of-some-length" },
      SHOP_A_WEBHOOK: `whsec_${Buffer.alloc(24, "a").toString("base64")}`,
    });
    expect(problems).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(["shop-a"]);
  });

  it("describes several sources, their secrets taken from the environment or written out", () => {
    const other = {
      ...{
        ...OTHER,
        collectionApiKey: "written-out",
        collectionIds: ["AAAAAAAA-0000-4000-8000-000000000001"],
      },
      callbackChecks: { hmac: { secrets: ["a-secret-of-16-and-more"], prefix: "sha256=" } },
    };
    const sources = sourcesOf(read({ sources: [SHOP, other] }));
    const keys = sources.map(({ name, collectionApiKey }) => [name, collectionApiKey.reveal()]);
    expect(keys).toEqual([
      ["shop-a", "secret-key-of-a"],
      ["shop-b", "written-out"],
    ]);
    expect(sources).toMatchObject([
      {
        ...{ collectionApiUrl: "https://api.example.com", collectionIds: [], snsTestTopicArn: null },
        callbackChecks: { hmac: null, headerToken: null, standardWebhooks: null, allowedAddresses: [] },
      },
      {
        collectionIds: ["aaaaaaaa-0000-4000-8000-000000000001"],
        callbackChecks: { hmac: { header: "x-signature", algorithm: "sha256", prefix: "sha256=" } },
      },
    ]);
  });

  it("gives each source the books' zone and currency, its own or those of all", () => {
    const own = { ...OTHER, booksTimeZone: "Europe/London", currency: "GBP" };
    const booksOf = (changes: Record<string, string>) =>
      sourcesOf(read({ sources: [SHOP, own] }, changes)).map((one) => [one.booksTimeZone, one.currency]);
    const london = ["Europe/London", "GBP"];
    expect(booksOf({})).toEqual([["UTC", "NGN"], london]);
    expect(booksOf({ CURRENCY: "GHS" })).toEqual([["UTC", "GHS"], london]);
  });

  it("tells every problem at once, each with its place in the file, and no value", async () => {
    const first = {
      ...{ ...SHOP, name: "Shop A", callbackTokens: ["short-secret", "env:NOT_SET"], colectionIds: [] },
      ...{ booksTimeZone: "+01:00", currency: "naira" },
    };
    const second = {
      ...{ ...SHOP, collectionApiUrl: "http://user:hidden@api.example.com", collectionApiKey: 17 },
      callbackChecks: { hmac: { secrets: [] }, allowedAddresses: ["300.0.0.1/8"] },
    };
    const problems = problemsOf({ sources: [first, second] }, { PORT: "hidden" });
    expect(problems).toHaveLength(11);
    expect(problems.join()).not.toMatch(/short-secret|hidden|secret-key/);
    await expectGolden("sources-file-refused", problems.join("\n"));
  });

  it.each(['"a-key"', "a-key\n"])("refuses the secret %j, written out or named, and repeats none", (key) => {
    for (const problems of [
      problemsOf({ sources: [{ ...SHOP, collectionApiKey: key }] }),
      problemsOf({ sources: [SHOP] }, { SHOP_A_KEY: key }),
    ]) {
      expect(problems).toEqual([expect.stringContaining("sources[0].collectionApiKey")]);
      expect(problems.join()).not.toContain("a-key");
    }
  });

  it.each<[string, unknown, named: string[]]>([
    ["what is no JSON", '{"sources": [{"collectionApiKey": "secret-key" oops', ["sources.json"]],
    ["two sources of one name and token", { sources: [SHOP, SHOP] }, ["[1].callbackTokens[0]", "[1].name"]],
    [
      "a topic for Test invoices that takes another source's payments",
      { sources: [SHOP, { ...OTHER, snsTestTopicArn: SHOP.snsTopicArn }] },
      ["sources[1].snsTestTopicArn"],
    ],
  ])("refuses %s", (_, content, named) => {
    const problems = problemsOf(content);
    expect(problems).toEqual(named.map((name) => expect.stringContaining(name)));
    expect(problems.join()).not.toContain("secret-key");
  });

  it("stands instead of the variables of the one source: those are then refused, not silently ignored", () => {
    const both = { COLLECTION_API_KEY: "k", CALLBACK_HMAC_PREFIX: "sha256=" };
    const problems = problemsOf({ sources: [SHOP] }, both);
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual(Object.keys(both).sort());
  });

  it("or the variables are needed", () => {
    expect(problemsOf("", { SOURCES_FILE: "/no/such/file.json" })).toHaveLength(1);
    expect(() => readSettings(ENVIRONMENT, SERVE_REQUIRES)).toThrow(/COLLECTION_API_KEY/);
    expect(() => sourcesOf(readSettings(ENVIRONMENT))).toThrow(/SOURCES_FILE/);
    expect(sourceNamesOf(readSettings(ENVIRONMENT))).toBeNull();
    expect(sourceNamesOf(readSettings({ ...ENVIRONMENT, COLLECTION_API_KEY: "k" }))).toEqual(["default"]);
    expect(sourceNamesOf(read({ sources: [SHOP] }))).toEqual(["shop-a"]);
  });
});
