/** Whether a text is a UUID, of any version, in any case. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The first in the order of UUIDs, and what some send for "no id yet": nothing is kept under it. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * A UUIDv7 (RFC 9562, 5.7): its time, then what is random in a UUIDv4.
 * @param atMs the time inside it, in ms since 1970.
 */
export function newId(atMs: number = Date.now()): string {
  const time = atMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
