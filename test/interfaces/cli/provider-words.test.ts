import { expect, it } from "vitest";
import { providerWords } from "../../../src/interfaces/cli/commands/api.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { CollectionApiError } from "../../../src/provider/collection-api/index.ts";
import { expectGolden } from "../../support/golden.ts";

const KEY = new Secret("key-that-nobody-may-read");
const TOKEN = "test-token-0123456789abcdef";
const about = (details: ConstructorParameters<typeof CollectionApiError>[1]) =>
  providerWords(new CollectionApiError("Create Invoice", details, KEY));

it("what a person reads when the provider refuses holds no callback token, and says when to come back", async () => {
  const providerMessage = `https://relay.example.com/callbacks/${TOKEN}/o-1 is too long`;
  const wrong = about({ kind: "invalid", detail: "the request is wrong", status: 400, providerMessage });
  const busy = { kind: "rate_limited", detail: "the provider asks for fewer requests" } as const;
  expect(wrong).not.toContain(TOKEN);
  await expectGolden(
    "provider-words",
    [wrong, about({ ...busy, retryAfterMs: 1_200 }), about(busy)].join("\n"),
  );
});
