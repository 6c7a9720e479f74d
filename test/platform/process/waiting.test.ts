import { expect, it } from "vitest";
import { Turns } from "../../../src/platform/process/waiting.ts";

it("so much of a kind of work is under way at once, and the rest follows, after failures too (G8)", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const all = works.map((work, n) => {
    const ran = turns.run(() => {
      begun.push(n);
      return work.promise;
    });
    return ran.catch(() => "failed");
  });
  expect(begun).toEqual([0, 1]);
  works[0]?.reject(new Error("a bug"));
  expect(await all[0]).toBe("failed");
  expect(begun).toEqual([0, 1, 2]);
  for (const [n, work] of works.entries()) work.resolve(n);
  expect(await Promise.all(all)).toEqual(["failed", 1, 2, 3, 4]);
  expect(await turns.run(async () => "again")).toBe("again");
});
