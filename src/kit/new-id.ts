import { randomFillSync } from "node:crypto";
import { v7 as uuidv7 } from "uuid";

const BYTES = 16;
const IDS_A_DRAW = 256;

const pool = new Uint8Array(BYTES * IDS_A_DRAW);
let used = pool.length;

/**
 * A UUIDv7. The random bytes of many are drawn at once: one by one they cost ten times as much as the rest of
 * an id.
 * @param atMs the time inside it, in ms since 1970.
 */
export function newId(atMs: number = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + BYTES);
  used += BYTES;
  return uuidv7({ msecs: atMs, random });
}
