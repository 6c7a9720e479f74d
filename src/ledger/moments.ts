/** No relay writes a time before the first of these, nor the second or a later one: such a row gets no leaf. */
export const FIRST_TIME = "1970-01-01T00:00:00.000000Z";
export const END_OF_TIMES = "2255-01-01T00:00:00.000000Z";

// Times of rows have microseconds, which a Date has not: text in leaves, a number of microseconds in tiles.

/** `2026-11-24 10:00:00.12+00` as `2026-11-24T10:00:00.120000Z`; what is no common time stays as it is. */
export const timeText = (postgres: string): string =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/.test(postgres)
    ? `${postgres.slice(0, 10)}T${postgres.slice(11, 19)}.${postgres.slice(20, -3).padEnd(6, "0")}Z`
    : postgres;

/** Microseconds since 1970, of a time in UTC with a `Z`; exact until the year 2255. */
export const microsOf = (time: string): number =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1_000 + Number(time.slice(20, -1).padEnd(6, "0"));

/** The same moment as text again. */
export const timeOfMicros = (micros: number): string => {
  const ms = Math.floor(micros / 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros - ms * 1_000).padStart(3, "0")}Z`;
};
