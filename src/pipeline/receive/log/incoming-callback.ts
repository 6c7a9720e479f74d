import type { Alarm } from "../../../platform/alarms/index.ts";
import type { FailedCheck } from "../../../platform/config/index.ts";

/** A callback as it came in: its secrets already masked, its bytes untouched. */
export interface IncomingCallback {
  source: string;
  method: string;
  /** Without query, the token masked. */
  path: string;
  /** As it was in the URL, without the `?`. */
  query: string;
  headers: [name: string, value: string][];
  /** The bytes as received, still compressed if they were. */
  body: Buffer;
  remoteAddress: string | null;
  reference: string | null;
  invoiceIds: string[];
  /** The other UUIDs in it, lower case, distinct: what erasing finds it by; nothing is asked about them. */
  alsoNamed: string[];
  foundBy: string | null;
  /** null when the ids are to be asked for. */
  verdict: "unreadable" | "ping" | "refused" | null;
  /** The check of its source that it failed, of a refused one. */
  failedCheck: FailedCheck | null;
  /** Of its request; null while tracing is off. */
  traceparent: string | null;
  /** What a person should know of its sender, kept in the same commit (G13). */
  raises: readonly Alarm[];
}
