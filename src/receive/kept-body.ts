import { hash } from "node:crypto";

/** How many bytes are kept of a body over budget: more than an honest callback has. */
const KEPT_BYTES = 4_096;

/** What is recorded of a body, and how it differs from what was sent; `cut` is null when it does not. */
export interface KeptBody {
  body: Buffer;
  cut: { bytes: number; sha256: string } | null;
}

/**
 * A body over budget as it is recorded: whole when it is short, else its beginning, with size and digest of
 * all.
 */
export const keptBody = (body: Buffer): KeptBody =>
  body.length <= KEPT_BYTES
    ? { body, cut: null }
    : { body: body.subarray(0, KEPT_BYTES), cut: { bytes: body.length, sha256: hash("sha256", body) } };
