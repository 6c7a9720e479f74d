import { describe, expect, it } from "vitest";
import { messageOf } from "../../../src/kit/errors.ts";
import { maskOf, withoutCallbackTokens } from "../../../src/kit/mask/callback-tokens.ts";
import { maskedEvidence } from "../../../src/kit/mask/masked-evidence.ts";
import { quietText } from "../../../src/kit/mask/quiet-text.ts";
import { Secret } from "../../../src/kit/secret.ts";

describe("somebody else's words", () => {
  it.each([
    ["mail ada.obi+x@mail.example.com now", "mail [e-mail] now"],
    ["call +234 801 555 0199 or 08015550199", "call [phone] or [phone]"],
    [
      "GET https://r.example.com/callbacks/abc_DEF-123/ref?x",
      "GET https://r.example.com/callbacks/***/ref?x",
    ],
    ["connect postgres://user:pass@host:5432/db", "connect postgres://***@host:5432/db"],
    ["Authorization: Bearer abc.def-123456", "Authorization: ***"],
    ['{"x-api-key":"k-123"} password=hunter2', '{"x-api-key":"***"} password=***'],
  ])("lose secrets and personal data: %s", (text, quiet) => {
    expect(quietText(text)).not.toMatch(/obi|0199|abc|pass@|123456|k-123|hunter/);
    if (!text.startsWith("Auth")) expect(quietText(text)).toBe(quiet);
  });

  it.each([
    'relation "callback" does not exist',
    "invoice 01890a5d-ac96-774b-bcce-b302099a8057 at 2026-11-01T09:00:00.000Z",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "arn:aws:sns:eu-west-1:123456789012:invoice-events",
    "timeout after 30000 ms; amount 1500.50 is not 01511.25",
  ])("keep what an operator needs: %s", (text) => {
    expect(quietText(text)).toBe(text);
  });

  it("lose the values that Postgres quotes of a row, and keep its other names", () => {
    const error = (code: string, message: string) => Object.assign(new Error(message), { code });
    expect(messageOf(error("22P02", 'invalid input syntax for type uuid: "Ada Obi"'))).toBe(
      "invalid input syntax for type uuid…",
    );
    expect(messageOf(error("42P01", 'relation "callback" does not exist'))).toBe(
      'relation "callback" does not exist',
    );
  });

  it("as evidence lose our tokens only, in JSON's and in a query's spelling too", () => {
    const evidence = 'ada@example.com "https:\\/\\/r\\/callbacks\\/tok_en\\/x" u=%2Fcallbacks%2Ftok-en%2Fx';
    expect(withoutCallbackTokens(evidence)).toBe(
      'ada@example.com "https:\\/\\/r\\/callbacks\\/***\\/x" u=%2Fcallbacks%2F***%2Fx',
    );
  });
});
