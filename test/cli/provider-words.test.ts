import { describe, expect, it } from "vitest";
import { providerWords } from "../../src/cli/commands/api.ts";
import { CollectionApiError } from "../../src/collection-api/index.ts";
import { Secret } from "../../src/kit/secret.ts";

const KEY = new Secret("key-that-nobody-may-read");

describe("what a person reads when the provider refuses", () => {
  it("holds no callback token, although the provider quotes the callback URL", () => {
    const error = new CollectionApiError(
      "Create Invoice",
      {
        kind: "invalid",
        detail: "the provider calls the request wrong",
        status: 400,
        providerMessage: "https://relay.example.com/callbacks/test-token-0123456789abcdef/o-1 is too long",
      },
      KEY,
    );
    expect(providerWords(error)).toBe(
      "Create Invoice: the provider calls the request wrong (HTTP 400): https://relay.example.com/callbacks/***/o-1 is too long.",
    );
  });

  it.each([
    [1_200, "Try again in 2 s."],
    [undefined, "Try again in a while."],
  ])("says when to come back after 429 with Retry-After of %s ms", (retryAfterMs, said) => {
    const details = {
      kind: "rate_limited",
      detail: "the provider asks for fewer requests",
      retryAfterMs,
    } as const;
    expect(providerWords(new CollectionApiError("Get Banks", details, KEY))).toBe(
      `Get Banks: the provider asks for fewer requests. ${said}`,
    );
  });
});
