import { vi } from "vitest";
import { PATIENCE_MS } from "./patience-ms.ts";

const waitFor = vi.waitFor;

// Loaded before the tests: vitest itself waits for a second. A bound that a guarantee names is said where the
// guarantee is tested.
if (!Reflect.has(waitFor, "isPatient"))
  vi.waitFor = Object.assign(
    <Value>(callback: () => Value | Promise<Value>, options: Parameters<typeof waitFor>[1] = {}) =>
      waitFor(callback, {
        timeout: PATIENCE_MS,
        ...(typeof options === "number" ? { timeout: options } : options),
      }),
    { isPatient: true },
  );
