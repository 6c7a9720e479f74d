import { expect, vi } from "vitest";
import { TIMEOUT_MS } from "./timeout-ms.ts";

/**
 * Waits until what `read` gives is as expected: for what happens by itself, such as a row that a worker
 * writes.
 * @param check one of the below, such as `toEqual([])`, or any function that throws while it is not so.
 * @param timeout in ms; only where a guarantee names one.
 * @returns the value that was as expected. @throws what the last check said.
 */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  check: (value: Value) => void,
  { timeout = TIMEOUT_MS } = {},
): Promise<Value> {
  return await vi.waitFor(
    async () => {
      const value = await read();
      check(value);
      return value;
    },
    { timeout, interval: 20 },
  );
}

/** An assertion of `expect`, of whatever value comes. */
const expecting =
  (matcher: "toBe" | "toEqual" | "toMatchObject" | "toContain" | "toHaveLength" | "toBeGreaterThan") =>
  (expected: unknown) =>
  (value: unknown): void =>
    (expect(value)[matcher] as (expected: unknown) => void)(expected);

export const toBe = expecting("toBe");
export const toEqual = expecting("toEqual");
export const toMatchObject = expecting("toMatchObject");
export const toContain = expecting("toContain");
export const toHaveLength = expecting("toHaveLength");
export const toBeGreaterThan = expecting("toBeGreaterThan");
