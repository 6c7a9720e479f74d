/**
 * What a callback may be made of, so that reading it costs little whatever it is (G12). Honest ones stay far
 * below; what lies beyond a limit is not read, and the callback's row says so.
 */
export const READING_LIMITS = {
  /** Invoice ids of one callback. */
  ids: 100,
  /** Levels of objects and arrays within each other. */
  depth: 64,
  /** Objects, arrays, members, elements and lines of one document. */
  pieces: 10_000,
  /** Fields of a form or a query. */
  fields: 4_000,
  /** UUIDs that a scan looks at, in one text. */
  scanned: 500,
} as const;

/**
 * What was left unread: ids beyond the first, fields beyond the first, or a document too deep or too
 * intricate.
 */
export type Unread = "ids" | "fields" | "document";

/** Collects what one reading leaves unread. */
export type UnreadSet = Set<Unread>;
