import { expect, it } from "vitest";
import { OneByOne } from "../../src/kit/one-by-one.ts";

it("does one after the other, in order, and goes on after one that failed", async () => {
  const turns = new OneByOne();
  const said: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = turns.run(async () => {
    said.push("first begins");
    await gate.promise;
    said.push("first ends");
    throw new Error("odd");
  });
  const second = turns.run(async () => said.push("second"));
  await Promise.resolve();
  expect(said).toEqual(["first begins"]);
  gate.resolve();
  await expect(first).rejects.toThrow("odd");
  expect(await second).toBe(3);
  expect(said).toEqual(["first begins", "first ends", "second"]);
});
