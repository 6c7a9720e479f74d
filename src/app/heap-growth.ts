import { setFlagsFromString } from "node:v8";

/**
 * The heap may grow to four times what lives in it before it is collected, some 150 MB. With V8's default the
 * pieces of a few large bodies set off five collections a second, and everyone waits 20 ms for each
 * (docs/performance.md, what was tried). `--max-old-space-size` holds as ever.
 */
export const letHeapGrow = () => setFlagsFromString("--heap-growing-percent=300");
