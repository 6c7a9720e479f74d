import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap, and the buffers that it holds, grow to four times what lives in them before they are
 * collected: some 150 MB. V8 by itself collects everything after each 64 MB of buffers, so that a stranger's
 * large bodies set off five collections a second, and everyone waits 20 ms for each (docs/performance.md,
 * what was tried). `--max-old-space-size` holds as ever.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=300");
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
