import type { IncomingCallback } from "../../src/pipeline/receive/log/append-statements.ts";

/** A callback as it is recorded: a POST that names no invoice, but for `changes`. */
export const incomingCallback = (changes: Partial<IncomingCallback> = {}): IncomingCallback => ({
  ...{ source: "default", method: "POST", path: "/callbacks/***", query: "", headers: [] },
  ...{ body: Buffer.from("{}"), remoteAddress: null, reference: null, invoiceIds: [], alsoNamed: [] },
  ...{ foundBy: null, verdict: null, failedCheck: null, traceparent: null, raises: [] },
  ...changes,
});
