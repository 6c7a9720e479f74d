import { describe, expect, it } from "vitest";
import { type Heard, proofOf, withoutTrouble, withTrouble } from "../../../src/console/pages/api/proof.ts";
import type { Trouble } from "../../../src/console/pages/api/types.ts";

const AT = "2026-11-22T03:57:11.000Z";
const aged = (ageMs: number) => ({ status: { at: AT, ageMs } });
const heard = (changes: Partial<Heard> = {}): Heard => ({
  connection: "open",
  status: { at: AT, ageMs: 0 },
  troubles: [],
  ...changes,
});
const trouble = (what: string, sentence = "The database does not answer."): Trouble => ({
  what,
  since: "2026-11-22T03:56:00.000Z",
  sentence,
});

describe("what the console says of the relay", () => {
  it("is of now for 15 s after a status came", () => {
    expect(proofOf(heard())).toEqual({ isFresh: true });
    expect(proofOf(heard(aged(15_000)))).toEqual({ isFresh: true });
    expect(proofOf(heard(aged(15_001)))).toMatchObject({
      isFresh: false,
      since: "2026-11-22T03:57:11.000Z",
      isLong: true,
    });
  });

  it("is not of now as soon as the stream is lost, and is bad once that lasts", () => {
    const lost = heard({ connection: "lost" });
    expect(proofOf({ ...lost, ...aged(1_000) })).toMatchObject({ isFresh: false, isLong: false });
    expect(proofOf({ ...lost, ...aged(16_000) })).toMatchObject({ isFresh: false, isLong: true });
  });

  it("is not of now when the relay cannot read how it does, in its words, before any status too", () => {
    const said = { isFresh: false, since: "2026-11-22T03:56:00.000Z", why: "The database does not answer." };
    expect(proofOf(heard({ troubles: [trouble("status")] }))).toMatchObject(said);
    expect(proofOf(heard({ status: null, troubles: [trouble("status")] }))).toMatchObject(said);
    expect(proofOf(heard({ troubles: [trouble("activity")] }))).toEqual({ isFresh: true });
  });

  it("is nothing at all before the first status", () => {
    expect(proofOf(heard({ status: null }))).toBeNull();
  });
});

describe("a trouble that is told", () => {
  it("is the last word about its reading, until that comes again", () => {
    const told = withTrouble([trouble("status"), trouble("activity")], trouble("status", "Too slow."));
    expect(told.map(({ what, sentence }) => [what, sentence])).toEqual([
      ["activity", "The database does not answer."],
      ["status", "Too slow."],
    ]);
    expect(withoutTrouble(told, "status").map(({ what }) => what)).toEqual(["activity"]);
    expect(withoutTrouble(told, "payment")).toEqual(told);
  });

  it("of payments ends with a status: they come too seldom", () => {
    expect(withoutTrouble([trouble("payment")], "status")).toEqual([]);
    expect(withoutTrouble([trouble("payment")], "activity")).toHaveLength(1);
  });
});
