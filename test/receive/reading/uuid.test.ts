import { describe, expect, it } from "vitest";
import { asUuid, uuidsIn } from "../../../src/receive/reading/find-in-places.ts";

const ID = "aaaaaaaa-0000-4000-8000-000000000001";
const OTHER = "bbbbbbbb-0000-1000-8000-000000000002";
const NIL = "00000000-0000-0000-0000-000000000000";

describe("a text is a UUID", () => {
  it.each([
    ["bare", ID],
    ["in capitals", ID.toUpperCase()],
    ["in braces", `{${ID}}`],
    ["as a URN", `urn:uuid:${ID}`],
    ["with space around it", ` \n${ID}\t`],
    ["with all of it", ` URN:UUID:{${ID.toUpperCase()}} `],
  ])("%s", (_how, text) => {
    expect(asUuid(text)).toBe(ID);
  });

  it.each([
    ["nothing", ""],
    ["without dashes", ID.replaceAll("-", "")],
    ["cut off", ID.slice(0, -1)],
    ["with a letter that is no hex digit", ID.replace("a", "g")],
    ["with a digit too many", `${ID}0`],
    ["with words around it", `invoice ${ID}`],
    ["two of them", `${ID} ${OTHER}`.slice(0, 64)],
    ["nil", NIL],
    ["nil in braces", `{${NIL}}`],
  ])("not: %s", (_what, text) => {
    expect(asUuid(text)).toBeNull();
  });

  it("with space around it up to 64 characters in all", () => {
    expect(asUuid(ID.padStart(64))).toBe(ID);
    expect(asUuid(ID.padStart(65))).toBeNull();
  });
});

describe("the UUIDs within a text", () => {
  it("come in order, repeats too, in lower case, whatever stands between", () => {
    expect(uuidsIn(`${ID},${OTHER.toUpperCase()}/${ID}`)).toEqual([ID, OTHER, ID]);
  });

  it.each(["-", "--", "_", "é", '"', "/"])("may stand between %s and the same again", (mark) => {
    expect(uuidsIn(mark + ID + mark)).toEqual([ID]);
  });

  it.each(["%7B", "%22", "%2522", "\\n", "\\u0022"])("may stand after the escape %s", (mark) => {
    expect(uuidsIn(mark + ID)).toEqual([ID]);
  });

  it.each([
    ["a text shorter than one", "a-b-c"],
    ["a longer word, at its end", `x${ID}`],
    ["a longer word, at its beginning", `${ID}0`],
    ["one that ends too early", ID.slice(0, 24)],
    ["one whose dashes stand elsewhere", ID.replace("-8000", "8-000")],
    ["nil", `${NIL} {${NIL}}`],
  ])("none in %s", (_what, text) => {
    expect(uuidsIn(text)).toEqual([]);
  });

  it("a dash before it hides none", () => {
    expect(uuidsIn(`12345678-${ID}`)).toEqual([ID]);
  });
});
