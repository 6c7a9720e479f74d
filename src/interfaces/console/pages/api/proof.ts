import type { Trouble } from "./client.ts";

/** How old the newest status may be, in ms, and still be taken for now: the relay sends one every 5 s. */
const BELIEVED_MS = 15_000;

/** connecting: not yet; lost: tried again by itself. */
export type Connection = "connecting" | "open" | "lost";

/** Data received from the relay, and whether more comes. */
export interface Heard {
  connection: Connection;
  /** Of the newest status: when it was read, by the relay's clock, and how long ago it came, in ms. */
  status: { at: string; ageMs: number } | null;
  troubles: readonly Trouble[];
}

/** Whether the newest status is current; else since when it is not, and why. */
export type Proof =
  | { isFresh: true }
  /** `isLong`: no blip any more. */
  | { isFresh: false; since: string; why: string; isLong: boolean };

const FRESH: Proof = { isFresh: true };

/** Pure. @returns null before the first status. */
export function proofOf({ connection, status, troubles }: Heard): Proof | null {
  const trouble = troubles.find(({ what }) => what === "status");
  if (trouble !== undefined)
    return { isFresh: false, since: trouble.since, why: trouble.sentence, isLong: true };
  if (status === null) return null;
  const isLong = status.ageMs > BELIEVED_MS;
  const unproven = (why: string): Proof => ({ isFresh: false, since: status.at, why, isLong });
  if (connection === "lost")
    return unproven("The connection to the relay is lost; it is tried again automatically.");
  return isLong ? unproven("The relay has sent nothing since then, though it should every 5 s.") : FRESH;
}

/** Troubles with one more added; the latest report about each reading counts. Pure. */
export const withTrouble = (troubles: readonly Trouble[], told: Trouble): readonly Trouble[] => [
  ...troubles.filter(({ what }) => what !== told.what),
  told,
];

/**
 * Troubles after an event came. It ends its own; a status ends that of payments, too, which come too seldom to
 * end it: if it lasts it is reported again within seconds. Pure.
 */
export const withoutTrouble = (troubles: readonly Trouble[], event: string): readonly Trouble[] =>
  troubles.filter(({ what }) => what !== event && !(event === "status" && what === "payment"));
