import { vi } from "vitest";
import { TIMEOUT_MS } from "./timeout-ms.ts";

const waitFor = vi.waitFor;

// Loaded before the tests: vitest itself waits for a second. A bound that a guarantee names is said where the
// guarantee is tested.
if (!Reflect.has(waitFor, "hasTimeout"))
  vi.waitFor = Object.assign(
    <Value>(callback: () => Value | Promise<Value>, options: Parameters<typeof waitFor>[1] = {}) =>
      waitFor(callback, {
        timeout: TIMEOUT_MS,
        ...(typeof options === "number" ? { timeout: options } : options),
      }),
    { hasTimeout: true },
  );
