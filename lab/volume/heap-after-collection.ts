import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** As much as is alive, in bytes, after a full collection. */
export function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
