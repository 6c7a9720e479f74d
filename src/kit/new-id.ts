import { randomUUID } from "node:crypto";

/**
 * A UUIDv7 (RFC 9562, 5.7): its time, then what is random in a UUIDv4.
 * @param atMs the time inside it, in ms since 1970.
 */
export function newId(atMs: number = Date.now()): string {
  const time = atMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
