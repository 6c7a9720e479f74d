import { describe, expect, it } from "vitest";
import { messageOf } from "../../../src/platform/errors/errors.ts";
import {
  maskedEvidence,
  maskOf,
  quietText,
  Secret,
  withoutCallbackTokens,
} from "../../../src/platform/values/mask.ts";

describe("somebody else's words", () => {
  it.each([
    ["mail ada.obi+x@mail.example.com now", "mail [e-mail] now"],
    ["call +234 801 555 0199 or 08015550199", "call [phone] or [phone]"],
    ["GET https://r.ng/callbacks/abc_DEF-123/ref?x", "GET https://r.ng/callbacks/***/ref?x"],
    ["connect postgres://user:pass@host:5432/db", "connect postgres://***@host:5432/db"],
    ['{"x-api-key":"k-123"} password=hunter2', '{"x-api-key":"***"} password=***'],
  ])("lose secrets and personal data: %s", (text, quiet) => {
    expect(quietText(text)).toBe(quiet);
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
    const said = (code: string, message: string) => messageOf(Object.assign(new Error(message), { code }));
    expect(said("22P02", 'invalid syntax for uuid: "Ada Obi"')).toBe("invalid syntax for uuid…");
    expect(said("42P01", 'relation "callback" is missing')).toBe('relation "callback" is missing');
  });

  it("as evidence lose our tokens only, in JSON's and in a query's spelling too", () => {
    const evidence = 'ada@example.com "https:\\/\\/r\\/callbacks\\/tok_en\\/x" u=%2Fcallbacks%2Ftok-en%2Fx';
    expect(withoutCallbackTokens(evidence)).toBe(evidence.replace("tok_en", "***").replace("tok-en", "***"));
  });

  it("cut to its first words loses no half of an address with the rest", () => {
    const quiet = quietText(`${"word ".repeat(1_637)} ada.obi@example.com and more`);
    expect(quiet).toMatch(/word …$/);
    expect(quietText("Authorization: Bearer abc.def-123456")).not.toMatch(/abc|123456/);
  });
});

describe("callback tokens", () => {
  const TOKEN = "tok-en_0123456789abcdef";
  const mask = maskOf([new Secret(TOKEN), new Secret("another-token-0123456789")]);

  it.each([
    `https://r/callbacks/${TOKEN}/order-1`,
    `https:%2F%2Fr%2Fcallbacks%2F${TOKEN}%2Forder-1`,
    `https:%252F%252Fr%252fcallbacks%252f${TOKEN}%252Forder-1`,
    `"https:\\/\\/r\\/callbacks\\/${TOKEN}\\/order-1"`,
    `"\\u002Fcallbacks\\u002F${TOKEN}"`,
    `<a href="&#x2F;callbacks&#x2F;${TOKEN}">&#47;callbacks&#47;${TOKEN}</a>`,
    `/callbacks/%74ok-en_0123456789abcdef/order-1`,
    `/callbacks//${TOKEN}`,
    `/CALLBACKS/${TOKEN}?x=1`,
  ])("are masked in every encoding of a URL: %s", (text) => {
    expect(withoutCallbackTokens(text)).not.toMatch(/0123456789abcdef/);
    expect(withoutCallbackTokens(text)).toContain("***");
  });

  it("that are known are masked anywhere", () => {
    expect(mask(`a=${TOKEN}&b=another-token-0123456789`)).toBe("a=***&b=***");
    expect(maskOf([])("nothing %20 known")).toBe("nothing %20 known");
  });
});

it("evidence loses names, contacts, metadata and tokens, whole or cut off, and keeps the rest", () => {
  const kept = { id: "01890a5d-ac96-774b-bcce-b302099a8057", collectionName: "Term 1", amount: 1500.5 };
  const evidence = JSON.stringify({
    payerName: 'Ada "the" Obi',
    payer_email: "ada@example.com",
    billerAddress: "1 Road",
    billerMetaData: { child: { name: "Ben }" }, room: "7" },
    metadata: "Ben",
    note: "ask ada@example.com or +234 801 555 0199",
    callBackUrl: "https://r/callbacks/tok-en/o-1",
    ...kept,
  });
  expect(JSON.parse(maskedEvidence(evidence))).toEqual({
    ...{ payerName: "***", payer_email: "***", billerAddress: "***", billerMetaData: "***", metadata: "***" },
    ...{ note: "ask [e-mail] or [phone]", callBackUrl: "https://r/callbacks/***/o-1", ...kept },
  });
  for (let end = 0; end < evidence.length; end += 1)
    expect(maskedEvidence(evidence.slice(0, end))).not.toMatch(/"the|Obi|1 Road|Ben|tok-e|0199/);
});
