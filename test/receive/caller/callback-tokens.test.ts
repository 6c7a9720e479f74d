import { expect, it } from "vitest";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../../src/kit/settings.ts";
import { CallbackTokens } from "../../../src/receive/caller/caller-checks.ts";

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

it("a token in a URL is known when it is one of those configured, in full and nothing more", () => {
  const tokens = tokensOf(SHORT, LONG);
  for (const token of [SHORT, LONG]) expect(tokens.sourceOf(token)?.name).toBe("default");
  for (const token of [
    "",
    "\0",
    LONG.slice(0, -1),
    `${SHORT}\0`,
    `${LONG}x`,
    SHORT + LONG,
    SHORT.toUpperCase(),
  ])
    expect(tokens.sourceOf(token)).toBeNull();
});
