import { describe, expect, it } from "vitest";
import { TurnQueue } from "../../src/kit/turn-queue.ts";

const takeAll = (queue: TurnQueue<string>) => {
  const taken: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) taken.push(item);
  return taken;
};

describe("a queue in which keys take turns", () => {
  it("gives each key one turn, in the order in which they came", () => {
    const queue = new TurnQueue<string>(10);
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(item.slice(0, 1), item);
    expect(queue.next()).toBe("a1");
    queue.add("d", "d1");
    expect(takeAll(queue)).toEqual(["b1", "c1", "a2", "d1", "b2", "a3"]);
    expect(queue.size).toBe(0);
  });

  it("once full, drops the newest of whoever has the most, and the newcomer where all have as many (G8)", () => {
    const queue = new TurnQueue<string>(3);
    for (const item of ["a1", "a2", "a3"]) expect(queue.add("a", item)).toBeNull();
    expect(queue.add("a", "a4")).toBe("a4");
    expect(queue.add("b", "b1")).toBe("a3");
    expect(queue.add("c", "c1")).toBe("a2");
    expect(queue.add("d", "d1")).toBe("d1");
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1"]);
  });
});
