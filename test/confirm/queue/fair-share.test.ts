import { describe, expect, it } from "vitest";
import { IN_A_FLOOD, IN_ORDER, reservedFor } from "../../../src/confirm/queue/fair-share.ts";

/** Evenly spread over what `Math.random()` gives: sixteenths, since two classes may share an eighth. */
const CHANCES = Array.from({ length: 16 }, (_, part) => (part + 0.5) / 16);
const TOTALS = [1, 2, 3, 5, 7, 8, 9, 64, 80];

describe("the places that a claim reserves", () => {
  it.each([
    ["in order", IN_ORDER],
    ["in a flood", IN_A_FLOOD],
  ])("%s are an eighth of any total for each class, and never more than the claim has", (_, classes) => {
    for (const total of TOTALS) {
      const sums = classes.map(() => 0);
      for (const chance of CHANCES) {
        const claiming = { total, unknown: total, replays: total, chance };
        const reserved = classes.map((_, place) => reservedFor(place, classes, claiming));
        reserved.forEach((places, place) => {
          sums[place] = (sums[place] ?? 0) + places;
        });
        const later = reserved.slice(1).reduce((sum, places) => sum + places, 0);
        expect(later).toBeLessThanOrEqual(Math.ceil((total * (classes.length - 1)) / 8));
      }
      expect(sums).toEqual(classes.map(() => total * 2));
    }
  });

  it("are no more than a priority may have, and shared by its classes", () => {
    const last = [IN_ORDER.length - 2, IN_ORDER.length - 1];
    const both = CHANCES.map((chance) => {
      const claiming = { total: 80, unknown: 80, replays: 3, chance };
      return last.map((place) => reservedFor(place, IN_ORDER, claiming));
    });
    expect(new Set(both.map(([first = 0, again = 0]) => first + again))).toEqual(new Set([3]));
    expect(new Set(both.map(([first]) => first))).toEqual(new Set([1, 2]));
  });
});
