import { vi } from "vitest";

/**
 * Loaded before the tests: vitest waits for a second by itself, which is no bound that anyone promised and
 * too little on a busy machine. What comes is seen as soon as before; only what never comes takes longer to
 * be told.
 */
const PATIENCE_MS = 20_000;

const waitFor = vi.waitFor;

if (!Reflect.has(waitFor, "isPatient"))
  vi.waitFor = Object.assign(
    <Value>(callback: () => Value | Promise<Value>, options?: Parameters<typeof waitFor>[1]) =>
      waitFor(callback, options ?? { timeout: PATIENCE_MS }),
    { isPatient: true },
  );
