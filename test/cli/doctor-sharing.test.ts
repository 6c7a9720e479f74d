import { describe, expect, it } from "vitest";
import { checkSharing } from "../../src/app/doctor.ts";
import { Secret } from "../../src/kit/secret.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../src/kit/settings.ts";

/** A source of its own, with what it has in common with others. */
function source(name: string, { key = `key-of-${name}`, token = `token-of-${name}`, collection = name }) {
  const [one] = sourcesOf(
    readSettings(
      {
        PUBLIC_URL: "https://relay.example.com",
        DATABASE_URL: "postgres://localhost/relay",
        COLLECTION_API_URL: "https://api.example.com",
        COLLECTION_API_KEY: key,
        CALLBACK_TOKENS: "0123456789012345678901",
        SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:events",
        AWS_REGION: "eu-west-1",
      },
      SERVE_REQUIRES,
    ),
  );
  if (one === undefined) throw new Error("the settings describe no source");
  return { ...one, name, callbackTokens: [new Secret(token)], collectionIds: [collection] };
}

describe("doctor, with several sources", () => {
  it.each([
    [{ key: "one" }, "COLLECTION_API_KEY"],
    [{ token: "one" }, "a callback token"],
    [{ collection: "one" }, "a collection"],
  ])("finds those that share %j", (shared, what) => {
    expect([
      ...checkSharing([source("shop", shared), source("alone", {}), source("school", shared)]),
    ]).toEqual([
      { about: "sources", state: "fault", says: `shop and school share ${what}; each needs its own` },
    ]);
  });

  it("has nothing to say of sources that share nothing", () => {
    expect([...checkSharing([source("shop", {}), source("school", {})])]).toEqual([]);
  });
});
