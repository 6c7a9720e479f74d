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
    [
      "says how many there are only on its last page",
      [page(3, { hasNextPage: true }), page(2, { totalCount: 5, hasNextPage: false })],
      2,
    ],
    ["says how many there are only on its first page", [page(3, { totalCount: 4 }), page(1), page(0)], 2],
    ["says how many there are, and no page of it is full", [page(2, { totalCount: 2 }), page(0)], 1],
    [
      "grows on its last page, whose newcomer is on a page already read",
      [page(3, { totalCount: 5, hasNextPage: true }), page(2, { totalCount: 6, hasNextPage: false })],
      2,
    ],
    ["ends at an empty page that says nothing follows", [page(3), page(0, { hasNextPage: false })], 2],
    [
      "ends at an empty page, whose count is of itself alone",
      [page(3, { totalCount: 3 }), page(0, { totalCount: 9 })],
      2,
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
      "says that more follows, and nothing does",
      [page(3, { hasNextPage: true }), page(0, { hasNextPage: false })],
      /^it says that more follows, and shows nothing more$/,
    ],
    [
      "goes on past a full last page",
      [page(3, { totalCount: 3, hasNextPage: false }), page(1)],
      /past its end/,
    ],
    ["goes on past an end that it only claims", [page(2, { hasNextPage: false }), page(1)], /past its end/],
    ["repeats a page", [page(3), page(3, { fresh: 0 })], /only what others showed/],
    ["shows one twice", [page(3, { totalCount: 5 }), page(3, { totalCount: 5, fresh: 2 })], /twice/],
    ["shrinks meanwhile", [page(3, { totalCount: 5 }), page(2, { totalCount: 4 })], /fell from 5 to 4/],
    [
      "has more after its count",
      [page(3, { totalCount: 2, hasNextPage: true })],
      /more follows than its count/,
    ],
    [
      "has more after just as many as its count",
      [page(3, { totalCount: 3, hasNextPage: true })],
      /^it says that more follows than its count$/,
    ],
    ["is empty, and counts some", [page(0, { totalCount: 5 })], /^it says 5 and shows 0$/],
    [
      "grows, and ends before what it said at first",
      [page(3, { totalCount: 5, hasNextPage: true }), page(1, { totalCount: 6, hasNextPage: false })],
      /^it ends after 4 of 5$/,
    ],
    [
      "grows, and shows less than it said at first",
      [page(3, { totalCount: 5 }), page(1, { totalCount: 6 }), page(0)],
      /^it says 5 and shows 4$/,
    ],
    [
      "shows one twice, and counts nothing",
      [page(3), page(3, { fresh: 2 }), page(0)],
      /^it shows an invoice twice$/,
    ],
    ["shows more than it counts", [page(4, { totalCount: 3, pageSize: 5 })], /^it says 3 and shows 4$/],
    [
      "contradicts itself twice, and the first time is told",
      [page(3, { totalCount: 5 }), page(2, { totalCount: 4 }), page(0, { hasNextPage: true })],
      /^its count fell from 5 to 4$/,
    ],
  ])("does not believe one that %s", (_, pages, why) => {
    expect(read(pages)[1]).toMatch(why);
  });

  it("reads on where it ends before its count: what is left may follow", () => {
    const short = [page(2, { totalCount: 5, hasNextPage: false }), page(0)];
    expect(read(short)).toEqual([2, "it ends after 2 of 5"]);
  });

  it("meets on the way back what slipped from an unread page to a read one", () => {
    const proof = new PageProof();
    proof.forwards(page(3, { totalCount: 5 }));
    proof.forwards(page(2, { totalCount: 5 }));
    expect(proof.contradiction).toBeNull();
    proof.backwards(page(3, { totalCount: 5, fresh: 1 }));
    expect(proof.contradiction).toMatch(/changed while it was read/);
  });

  it.each<[string, number | null, Partial<PageFacts>, string | null]>([
    ["nothing new", 5, { fresh: 0, totalCount: 5 }, null],
    ["something new, and the list grew by it", 5, { fresh: 1, totalCount: 6 }, null],
    ["a smaller count", 5, { fresh: 0, totalCount: 4 }, "its count fell from 5 to 4"],
    ["something new, where nothing is counted", null, { fresh: 1 }, "it changed while it was read"],
  ])("on the way back finds %s", (_, totalCount, back, why) => {
    const proof = new PageProof();
    proof.forwards(page(3, { totalCount }));
    proof.forwards(page(2, { totalCount }));
    proof.backwards(page(3, back));
    expect(proof.contradiction).toBe(why);
    expect(proof.read).toBe(5 + (back.fresh ?? 0));
  });

  it("takes a list that does not end within 100,000 pages for endless (G8)", () => {
    const proof = new PageProof();
    let pages = 1;
    while (proof.forwards(page(1, { hasNextPage: true }))) pages += 1;
    expect(pages).toBe(100_000);
    expect(proof.contradiction).toBe("it does not end within 100000 pages");
  });
});
