import { describe, expect, it } from "vitest";
import { type PageFacts, PageProof } from "../../src/reconcile/list/page-proof.ts";

/** A page of three at most, of which all are new. */
const page = (shown: number, rest: Partial<PageFacts> = {}): PageFacts => ({
  shown,
  fresh: shown,
  totalCount: null,
  hasNextPage: null,
  pageSize: 3,
  ...rest,
});

/** @returns how many pages were asked for, and what is wrong. */
function read(pages: readonly PageFacts[]): [number, string | null] {
  const proof = new PageProof();
  const end = pages.findIndex((one) => !proof.forwards(one));
  return [end === -1 ? pages.length : end + 1, proof.contradiction];
}

describe("the proof that a list was whole", () => {
  it.each<[string, PageFacts[], number]>([
    ["ends where its count is reached", [page(3, { totalCount: 4 }), page(1, { totalCount: 4 })], 2],
    ["is empty and says so", [page(0, { totalCount: 0, hasNextPage: false })], 1],
    ["ends at an empty page where there is no count", [page(3), page(2), page(0)], 3],
    [
      "is read past a full last page",
      [page(3, { totalCount: 3, hasNextPage: false }), page(0, { totalCount: 0, hasNextPage: false })],
      2,
    ],
    ["is read past its end where there is no count", [page(2, { hasNextPage: false }), page(0)], 2],
    [
      "grows meanwhile, and loses nothing",
      [page(3, { totalCount: 5 }), page(3, { totalCount: 6, fresh: 2 }), page(1, { totalCount: 7 })],
      3,
    ],
  ])("believes one that %s", (_, pages, count) => {
    expect(read(pages)).toEqual([count, null]);
  });

  it.each<[string, PageFacts[], RegExp]>([
    [
      "ends short of its count",
      [page(3, { totalCount: 5 }), page(0, { totalCount: 5 })],
      /says 5 and shows 3/,
    ],
    [
      "says it ends before its count",
      [page(3, { totalCount: 5, hasNextPage: false }), page(2)],
      /ends after 3 of 5/,
    ],
    [
      "is empty, with a next page",
      [page(3, { hasNextPage: true }), page(0, { hasNextPage: true })],
      /empty page/,
    ],
    [
      "goes on past a full last page",
      [page(3, { totalCount: 3, hasNextPage: false }), page(1)],
      /past its end/,
    ],
    ["repeats a page", [page(3), page(3, { fresh: 0 })], /only what others showed/],
    ["shows one twice", [page(3, { totalCount: 5 }), page(3, { totalCount: 5, fresh: 2 })], /twice/],
    ["shrinks meanwhile", [page(3, { totalCount: 5 }), page(2, { totalCount: 4 })], /fell from 5 to 4/],
    [
      "has more after its count",
      [page(3, { totalCount: 2, hasNextPage: true })],
      /more follows than its count/,
    ],
  ])("does not believe one that %s", (_, pages, why) => {
    expect(read(pages)[1]).toMatch(why);
  });

  it("meets on the way back what slipped from an unread page to a read one", () => {
    const proof = new PageProof();
    proof.forwards(page(3, { totalCount: 5 }));
    proof.forwards(page(2, { totalCount: 5 }));
    expect(proof.contradiction).toBeNull();
    proof.backwards(page(3, { totalCount: 5, fresh: 1 }));
    expect(proof.contradiction).toMatch(/changed while it was read/);
  });
});
