import { signal } from "@preact/signals";

/** By how much the relay's clock is ahead of this browser's, in ms: a laptop's may be a day off. */
let aheadMs = 0;

/** By the relay's clock, each second while somebody is signed in. */
export const now = signal(Date.now());

export const tick = (): void => {
  now.value = Date.now() + aheadMs;
};

/** @param at what the relay's clock said just now. */
export function setClock(at: string): void {
  aheadMs = Date.parse(at) - Date.now();
  tick();
}

/**
 * How long ago something was that is marked now, in ms. A clock that is set back makes nothing younger; and the
 * browser's own count stands still while a laptop sleeps, where the clock does not.
 */
export function ageMark(): () => number {
  const [date, counted] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - date, performance.now() - counted);
}
