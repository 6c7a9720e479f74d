import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSettings, SERVE_REQUIRES } from "../../../src/kit/settings.ts";
import { sourcesOf } from "../../../src/kit/sources.ts";
import { CallbackTokens } from "../../../src/receive/caller/callback-tokens.ts";
import { anyText } from "../../support/any-text.ts";

const SHORT = "short-token-0123456789";
const LONG = "longer-token-0123456789abcdef-ABCDEF_42";

function tokensOf(...tokens: string[]): CallbackTokens {
  const environment = {
    PUBLIC_URL: "https://relay.example.com",
    DATABASE_URL: "postgres://localhost/relay",
    COLLECTION_API_URL: "https://api.example.com",
    COLLECTION_API_KEY: "an-api-key-0123456789",
    CALLBACK_TOKENS: tokens.join(","),
    SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:invoice-events",
    AWS_REGION: "eu-west-1",
  };
  return new CallbackTokens(sourcesOf(readSettings(environment, SERVE_REQUIRES)));
}

describe("a token in a URL", () => {
  const tokens = tokensOf(SHORT, LONG);

  it.each([SHORT, LONG])("is known in full: %s", (token) => {
    expect(tokens.ownerOf(token)?.source.name).toBe("default");
  });

  it.each([
    ["nothing", ""],
    ["a NUL", "\0"],
    ["a part", LONG.slice(0, -1)],
    ["with a NUL behind it", `${SHORT}\0`],
    ["filled up with NULs to the other's length", SHORT.padEnd(LONG.length, "\0")],
    ["with a sign more", `${LONG}x`],
    ["with a sign of two bytes more", `${LONG}\u00e9`],
    ["with a sign of three bytes more", `${LONG}\u20ac`],
    ["with a sign of four bytes more", `${LONG}\u{1F4B6}`],
    ["with three bytes and a sign of four more", `${LONG}abc\u{1F4B6}`],
    ["with four bytes more", `${LONG}abcd`],
    ["with 16 KiB more", LONG.padEnd(16_384, "x")],
    ["with half a surrogate pair more", `${LONG}\ud83d`],
    ["with a y-diaeresis more, U+00FF", `${SHORT}\u00ff`],
    ["of characters whose low bytes are those of a token", SHORT.replaceAll("s", "\u0173")],
    ["of both", SHORT + LONG],
  ])("is not known when it is %s", (_what, token) => {
    expect(tokens.ownerOf(token)).toBeNull();
    // And leaves nothing behind for the next.
    expect(tokens.ownerOf(SHORT)?.source.name).toBe("default");
  });

  it("is known exactly when it is one of those configured, whatever was asked before", () => {
    const near = fc.tuple(fc.constantFrom(SHORT, LONG, ""), anyText({ maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(near), (asked) => {
        for (const [token, more] of asked) {
          const given = token + more;
          expect(tokens.ownerOf(given) !== null).toBe(given === SHORT || given === LONG);
        }
      }),
      { numRuns: 50 },
    );
  });
});
