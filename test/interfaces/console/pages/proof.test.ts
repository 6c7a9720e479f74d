import { describe, expect, it } from "vitest";
import type { Trouble } from "../../../../src/interfaces/console/pages/api/client.ts";
import {
  type Heard,
  proofOf,
  withoutTrouble,
  withTrouble,
} from "../../../../src/interfaces/console/pages/api/proof.ts";

const AT = "2026-11-22T03:57:11.000Z";
const trouble = (what: string, sentence = "The database does not answer."): Trouble => ({
  what,
  since: "2026-11-22T03:56:00.000Z",
  sentence,
});
const TOLD = { isFresh: false, since: trouble("status").since, why: trouble("status").sentence };

describe("what the console says of the relay", () => {
  it.each<[string, Partial<Omit<Heard, "status">>, ageMs: number | null, says: object]>([
    ["is of now for 15 s after a status came", {}, 15_000, { isFresh: true }],
    ["and then no longer", {}, 15_001, { isFresh: false, since: AT, isLong: true }],
    [
      "is not of now once the stream is lost",
      { connection: "lost" },
      1_000,
      { isFresh: false, isLong: false },
    ],
    ["and is bad once that lasts", { connection: "lost" }, 16_000, { isFresh: false, isLong: true }],
    ["is not of now when the relay cannot read how it does", { troubles: [trouble("status")] }, 0, TOLD],
    ["nor before any status", { troubles: [trouble("status")] }, null, TOLD],
    [
      "is of now when it cannot read something else",
      { troubles: [trouble("activity")] },
      0,
      { isFresh: true },
    ],
  ])("%s", (_name, changes, ageMs, says) => {
    const status = ageMs === null ? null : { at: AT, ageMs };
    expect(proofOf({ connection: "open", troubles: [], status, ...changes })).toMatchObject(says);
  });

  it("is nothing at all before the first status", () => {
    expect(proofOf({ connection: "open", troubles: [], status: null })).toBeNull();
  });
});

it("a trouble is the last word about its reading until that comes again; a status ends that of payments", () => {
  const told = withTrouble([trouble("status"), trouble("activity")], trouble("status", "Too slow."));
  expect(told).toEqual([trouble("activity"), trouble("status", "Too slow.")]);
  expect(withoutTrouble(told, "status")).toEqual([trouble("activity")]);
  expect(withoutTrouble(told, "payment")).toEqual(told);
  // They come too seldom to end it.
  expect(withoutTrouble([trouble("payment")], "status")).toEqual([]);
  expect(withoutTrouble([trouble("payment")], "activity")).toHaveLength(1);
});
