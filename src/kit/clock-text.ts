/** A time as a person reads it: `2026-11-22 21:15:00 UTC`. */
export const clock = (at: Date): string => `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
