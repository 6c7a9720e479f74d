/** Bytes of the heap that are in use once everything that can go has gone; needs `--expose-gc`. */
export function heapAfterCollection(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
