import { describe, expect, it } from "vitest";
import type { UnreadSet } from "../../../src/receive/reading/parse-json.ts";
import { scanForUuids } from "../../../src/receive/reading/scan-for-uuids.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const ID = id(1);
const none: UnreadSet = new Set();
const scanText = (text: string) => scanForUuids(undefined, text, none);

describe("a document", () => {
  it("is walked from its beginning, keys as well as values", () => {
    const document = { a: [id(1), { [id(2)]: "b" }], c: `see ${id(3)}`, d: [null, true, 4] };
    expect(scanForUuids(document, "", none)).toEqual([id(1), id(2), id(3)]);
  });

  it("gives five at most", () => {
    expect(scanForUuids([1, 2, 3, 4, 5, 6].map(id), "", none)).toEqual([1, 2, 3, 4, 5].map(id));
    expect(scanForUuids([1, 2, 3, 4, 5, 6].map(id).join(), "", none)).toEqual([1, 2, 3, 4, 5].map(id));
  });

  it("says which are never an invoice's, wherever they stand again", () => {
    const document = { merchant_id: { deep: [id(1)] }, note: `${id(1)} ${id(2)}` };
    expect(scanForUuids(document, `${id(1)} ${id(2)} ${id(3)}`, none)).toEqual([id(2), id(3)]);
  });

  it("leaves out what is known", () => {
    expect(scanForUuids({ a: id(1), b: id(2) }, id(1), none, [id(1)])).toEqual([id(2)]);
  });
});

describe("a text that could not be parsed", () => {
  it.each([
    ["JSON", `{"token":"${ID}"`],
    ["JSON with space", `{"token" : "${ID}"`],
    ["single quotes", `{'token': '${ID}'`],
    ["a form", `token=${ID}`],
    ["a form, further on", `a=1&api_key=${ID}`],
    ["braces", `token={${ID}}`],
    ["a header's manner", `Correlation-Id: ${ID}`],
  ])("gives none that stands under a key that is never an invoice's: %s", (_shape, text) => {
    expect(scanText(text)).toEqual([]);
  });

  it.each([
    ["another key", `{"reference":"${ID}"`],
    ["a key that only ends alike", `{"mytoken": "${ID}"`],
    ["a key that only begins alike", `tokens=${ID}`],
    ["prose", `token (${ID})`],
    ["no key", `: ${ID}`],
    ["nothing before it", ID],
  ])("gives one that stands under %s", (_what, text) => {
    expect(scanText(text)).toEqual([ID]);
  });

  it("looks for the key within sixty characters", () => {
    expect(scanText(`token:${" ".repeat(54)}${ID}`)).toEqual([]);
    expect(scanText(`token:${" ".repeat(55)}${ID}`)).toEqual([ID]);
  });

  it("gives five at most, the same one counted once", () => {
    expect(scanText([1, 1, 2, 3, 4, 5, 6].map(id).join(" "))).toEqual([1, 2, 3, 4, 5].map(id));
  });
});

describe("five hundred UUIDs of a text are looked at", () => {
  const scan = (count: number) => {
    const unread: UnreadSet = new Set();
    const text = `${`${id(9)} `.repeat(count)}${ID}`;
    return { found: scanForUuids(undefined, text, unread, [id(9)]), unread: [...unread] };
  };

  it("the last of them too", () => {
    expect(scan(499)).toEqual({ found: [ID], unread: [] });
  });

  it("and what follows is left unread", () => {
    expect(scan(500)).toEqual({ found: [], unread: ["ids"] });
  });
});
