import type { OperationParts } from "../operate/operations/operation.ts";
import { decodeText, inflateBody } from "../receive/reading/decode-body.ts";
import { readCallback } from "../receive/reading/read-callback.ts";
import { BODY_LIMIT } from "../receive/what-is-named.ts";
import type { ReadAgain } from "../replay/callback-readings.ts";
import { ReplayRunner, type ReplayRunnerOptions } from "../replay/replay-runner.ts";

/** `createDestination` is left out where nothing is sent: for confirmations, and for events to a file. */
type RunnerOptions = Omit<ReplayRunnerOptions, "readAgain" | "createDestination"> &
  Partial<Pick<ReplayRunnerOptions, "createDestination">>;

/** Reads a recorded callback as it would be read on arrival. */
export const readAgain: ReadAgain = (request) => {
  const reading = readCallback(request, { inflatedBytes: BODY_LIMIT });
  return reading.kind === "ids" ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy } : null;
};

/** The text that the same reader sees, whether or not it finds an id in it. */
export const decodeCallback: OperationParts["decode"] = ({ contentEncoding, body }) => {
  const bytes = inflateBody(body, contentEncoding, BODY_LIMIT);
  return decodeText(bytes === "too_large" ? body : bytes);
};

/** Runs replays, for `serve` and for the command line. */
export const replayRunner = (options: RunnerOptions): ReplayRunner =>
  new ReplayRunner({ createDestination: noDestination, ...options, readAgain });

function noDestination(): never {
  throw new Error("This replay sends events, and was composed without a destination");
}
