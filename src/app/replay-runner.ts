import type { Kysely } from "kysely";
import type { AdminParts } from "../console/admin-api/operation.ts";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import type { Destination } from "../destination/destination.ts";
import type { Tracer } from "../kit/trace.ts";
import type { Route } from "../outbox/event.ts";
import { decodeText } from "../receive/reading/decode-text.ts";
import { inflateBody } from "../receive/reading/inflate-body.ts";
import { readCallback } from "../receive/reading/read-callback.ts";
import { BODY_LIMIT } from "../receive/what-is-named.ts";
import type { ReadAgain } from "../replay/read-again.ts";
import { ReplayRunner } from "../replay/replay-runner.ts";

export interface ReplayRunnerOptions {
  db: Kysely<Tables>;
  leaseMs: number;
  onConfirmations: () => void | Promise<void>;
  /** Told of a replay that cannot go on; null where a person watches. */
  alarms: Alarms | null;
  /** Left out where replays are not traced: on the command line. */
  tracer?: Tracer | null;
  routes: readonly Route[];
  /** The names of those that the settings describe; null where they describe none. */
  sources: readonly string[] | null;
  /** Opens the destination; left out where nothing is sent: for confirmations, and for events to a file. */
  createDestination?: () => Destination;
}

/** Reads a recorded callback as it would be read on arrival. */
export const readAgain: ReadAgain = (request) => {
  const reading = readCallback(request, { inflatedBytes: BODY_LIMIT });
  return reading.kind === "ids" ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy } : null;
};

/** The text that the same reader sees, whether or not it finds an id in it. */
export const decodeCallback: AdminParts["decode"] = ({ contentEncoding, body }) => {
  const bytes = inflateBody(body, contentEncoding, BODY_LIMIT);
  return decodeText(bytes === "too_large" ? body : bytes);
};

/** Runs replays, for `serve` and for the command line. */
export const replayRunner = (options: ReplayRunnerOptions): ReplayRunner =>
  new ReplayRunner({ createDestination: noDestination, ...options, readAgain });

function noDestination(): never {
  throw new Error("This replay sends events, and was composed without a destination");
}
