/** The id in examples. */
export const SOME_ID = "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11";

/** A UUID, of any version, in any case. */
export const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
export const isUuid = (text: string): boolean => UUID.test(text);

/** The first in the order of UUIDs, and what some send for "no id yet": nothing is kept under it. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** A UUIDv7 (RFC 9562, 5.7). @param atMs the time inside it, in ms since 1970. */
export function newId(atMs: number = Date.now()): string {
  const time = atMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
