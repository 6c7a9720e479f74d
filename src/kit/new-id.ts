import { v7 as uuidv7 } from "uuid";

/** A UUIDv7. @param atMs the time inside it, in ms since 1970. */
export function newId(atMs: number = Date.now()): string {
  return uuidv7({ msecs: atMs });
}
