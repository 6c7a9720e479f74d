import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../../src/platform/database/group-commit.ts";

const refused = () => Object.assign(new Error("refused"), { code: "22001" });
const collided = () => Object.assign(new Error("deadlock detected"), { code: "40P01" });
const lost = () => Object.assign(new Error("lost"), { code: "57P01" });

function commits<Item>(write: (items: readonly Item[]) => Promise<void>, changes = {}) {
  return new GroupCommit<Item>({ write, maxBatch: 10, maxInFlight: 2, maxWaiting: 1_000, ...changes });
}

/** What is written, batch by batch, each until its end is called. */
function heldBatches(changes: object) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const write = (items: readonly number[]) => {
    batches.push([...items]);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { batches, ends, group: commits<number>(write, { maxInFlight: 1, ...changes }) };
}

describe("group commit", () => {
  it("never has more transactions under way, nor more items in one, than it may", async () => {
    let [underWay, most, largest] = [0, 0, 0];
    const group = commits<number>(async (items) => {
      underWay += 1;
      most = Math.max(most, underWay);
      largest = Math.max(largest, items.length);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    });
    await Promise.all(Array.from({ length: 95 }, (_, item) => group.add(item)));
    expect([most, largest]).toEqual([2, 10]);
  });

  it("puts what arrives during a commit into the next, up to its limits: one too many is refused (G8)", async () => {
    const bytes = { of: (item: number) => item, perBatch: 10, waiting: 30 };
    const { batches, ends, group } = heldBatches({ maxWaiting: 5, bytes });
    const first = group.add(4);
    await expect.poll(() => batches).toEqual([[4]]);
    // The third is one byte too many together; the last one item too many.
    const outcomes = Promise.allSettled([15, 6, 10, 3, 2, 0, 0].map((item) => group.add(item)));
    for (const expected of [[15], [6, 3], [2, 0]]) {
      ends.pop()?.();
      await expect.poll(() => batches.at(-1)).toEqual(expected);
    }
    ends.pop()?.();
    await first;
    expect((await outcomes).map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled", "rejected"],
    ]);
  });

  it("splits a refused batch until the bad item stands alone", async () => {
    const written: number[] = [];
    const group = commits<number>(async (items) => {
      if (items.includes(7)) throw refused();
      written.push(...items);
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, item) => group.add(item)));
    expect(outcomes.flatMap((outcome, item) => (outcome.status === "rejected" ? [item] : []))).toEqual([7]);
    expect(written.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
  });

  it.each([
    ["a connection lost once is tried twice", lost, 1, 2, "fulfilled"],
    ["a connection lost twice is given up", lost, 2, 2, "rejected"],
    ["what Postgres rolls back for another's sake is tried again", collided, 3, 4, "fulfilled"],
    ["but five times at most", collided, Number.POSITIVE_INFINITY, 6, "rejected"],
  ])("%s", async (_, fault, faults, tries, status) => {
    let count = 0;
    const group = commits<number>(async () => {
      count += 1;
      if (count <= faults) throw fault();
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => group.add(item)));
    expect([count, ...outcomes.map((outcome) => outcome.status)]).toEqual([tries, status, status]);
  });
});
