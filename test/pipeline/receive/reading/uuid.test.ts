import { describe, expect, it } from "vitest";
import { asUuid, uuidsIn } from "../../../../src/pipeline/receive/reading/find-in-places.ts";

const ID = "aaaaaaaa-0000-4000-8000-000000000001";
const OTHER = "bbbbbbbb-0000-1000-8000-000000000002";
const NIL = "00000000-0000-0000-0000-000000000000";

describe("a text is a UUID or none", () => {
  it.each<[what: string, text: string, uuid: string | null]>([
    ["bare", ID, ID],
    ["in capitals", ID.toUpperCase(), ID],
    ["in braces", `{${ID}}`, ID],
    ["with all that may stand around it", ` \tURN:UUID:{${ID.toUpperCase()}}\n`, ID],
    ["with space around it, 64 characters in all", ID.padStart(64), ID],
    ["with more space", ID.padStart(65), null],
    ["nothing", "", null],
    ["without dashes", ID.replaceAll("-", ""), null],
    ["with a letter that is no hex digit", ID.replace("a", "g"), null],
    ["with a digit too many", `${ID}0`, null],
    ["with words around it", `invoice ${ID}`, null],
    ["nil", NIL, null],
  ])("%s", (_what, text, uuid) => {
    expect(asUuid(text)).toBe(uuid);
  });
});

describe("the UUIDs within a text", () => {
  it("come in order, repeats too, in lower case, whatever stands between", () => {
    expect(uuidsIn(`${ID},${OTHER.toUpperCase()}/${ID}`)).toEqual([ID, OTHER, ID]);
  });

  it.each(["-", "--", "_", "é", '"', "/", "%7B", "%22", "%2522", "\\n", "\\u0022", "12345678-"])(
    "may stand behind %s",
    (mark) => {
      expect(uuidsIn(mark + ID)).toEqual([ID]);
    },
  );

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
});
