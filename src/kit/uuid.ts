/** Whether a text is a UUID, of any version, in any case. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The first in the order of UUIDs, and what some send for "no id yet": nothing is kept under it. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000";
