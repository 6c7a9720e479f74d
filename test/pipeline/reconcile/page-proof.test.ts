import { describe, expect, it } from "vitest";
import { type PageFacts, PageProof } from "../../../src/pipeline/reconcile/list/page-proof.ts";
import { expectGolden } from "../../support/golden.ts";

/** A page of three at most, of which all are new unless said. */
const page = (
  shown: number,
  totalCount: number | null = null,
  hasNextPage: boolean | null = null,
  rest: Partial<PageFacts> = {},
): PageFacts => ({ shown, fresh: shown, totalCount, hasNextPage, pageSize: 3, ...rest });

/** @returns how many pages were asked for, and what is wrong. */
function read(pages: readonly PageFacts[]): [number, string | null] {
  const proof = new PageProof();
  const end = pages.findIndex((one) => !proof.takes(one));
  return [end === -1 ? pages.length : end + 1, proof.contradiction];
}

const seen = (fresh: number): Partial<PageFacts> => ({ fresh });

/** Each with how many pages have to be asked for before it is believed or not. */
const CONTRARY: [string, PageFacts[], number][] = [
  ["counts nothing, and is read to its empty page", [page(3), page(2), page(0)], 3],
  ["counts only on its last page", [page(3, null, true), page(2, 5, false)], 2],
  ["ends short of its count", [page(3, 5), page(0, 5)], 2],
  ["says it ends before its count, and is read on", [page(2, 5, false), page(0)], 2],
  ["is empty, with a next page", [page(3, 5, true), page(0, null, true)], 2],
  ["says that more follows, and nothing does", [page(3, 5, true), page(0, null, false)], 2],
  ["goes on past a full last page", [page(3, 3, false), page(1)], 2],
  ["goes on past an end that it only claims", [page(3, 3, false), page(1, 3)], 2],
  ["repeats a page", [page(3, 5), page(3, 5, null, seen(0))], 2],
  ["shows one twice", [page(3, 5), page(3, 5, null, seen(2))], 2],
  ["shrinks meanwhile", [page(3, 5), page(2, 4)], 2],
  ["has more after its count", [page(3, 2, true)], 1],
  ["has more after just as many as its count", [page(3, 3, true)], 1],
  ["is empty, and counts some", [page(0, 5)], 1],
  ["grows, and ends before what it said at first", [page(3, 5, true), page(1, 6, false)], 2],
  ["grows, and shows less than it said at first", [page(3, 5), page(1, 6), page(0)], 3],
  ["shows more than it counts", [page(4, 3, null, { pageSize: 5 })], 1],
  ["contradicts itself twice: the first is said", [page(3, 5), page(2, 4), page(0, null, true)], 2],
];

describe("the proof that a list was whole", () => {
  it.each<[string, PageFacts[], number]>([
    ["ends where its count is reached", [page(3, 4), page(1, 4)], 2],
    ["is empty and says so", [page(0, 0, false)], 1],
    ["is read past a full last page", [page(3, 3, false), page(0, 0, false)], 2],
    ["grows meanwhile, and loses nothing", [page(3, 5), page(3, 6, null, seen(2)), page(1, 7)], 3],
    ["counts only on its first page", [page(3, 4), page(1), page(0)], 2],
    ["says how many there are, and no page of it is full", [page(2, 2), page(0)], 1],
    ["grows on its last page, whose newcomer is on a page read", [page(3, 5, true), page(2, 6, false)], 2],
    ["ends at an empty page, whose count is of itself alone", [page(3, 3), page(0, 9)], 2],
  ])("believes one that %s", (_, pages, count) => {
    expect(read(pages)).toEqual([count, null]);
  });

  it.each(CONTRARY)("does not believe one that %s", (_, pages, count) => {
    expect(read(pages)).toEqual([count, expect.any(String)]);
  });

  it("says what the contradiction is", () =>
    expectGolden("contradictory-lists", CONTRARY.map(([of, one]) => `${of}:\n${read(one)[1]}`).join("\n\n")));

  it("takes a list that does not end within 100,000 pages for endless (G8)", () => {
    const proof = new PageProof();
    let pages = 1;
    while (proof.takes(page(1, null, true))) pages += 1;
    expect(pages).toBe(100_000);
    expect(proof.contradiction).not.toBeNull();
  });
});
