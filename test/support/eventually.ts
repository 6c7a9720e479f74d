import { expect, vi } from "vitest";
import { PATIENCE_MS } from "./patience-ms.ts";

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
  { timeout = PATIENCE_MS } = {},
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

type Check = (value: unknown) => void;

export const toBe =
  (expected: unknown): Check =>
  (value) =>
    expect(value).toBe(expected);

export const toEqual =
  (expected: unknown): Check =>
  (value) =>
    expect(value).toEqual(expected);

export const toMatchObject =
  (expected: object): Check =>
  (value) =>
    expect(value).toMatchObject(expected);

export const toContain =
  (expected: unknown): Check =>
  (value) =>
    expect(value).toContain(expected);

export const toHaveLength =
  (expected: number): Check =>
  (value) =>
    expect(value).toHaveLength(expected);

export const toBeGreaterThan =
  (expected: number): Check =>
  (value) =>
    expect(value).toBeGreaterThan(expected);
