import { RelayError } from "../../kit/errors.ts";
import type { NotFound, Refusal } from "../../provider/answer.ts";

/** The provider did not return the list. */
export class ListUnreadable extends RelayError {
  readonly refusal: NotFound | Refusal;

  /** @param what the request, in plain words. */
  constructor(what: string, refusal: NotFound | Refusal) {
    const error = "error" in refusal ? refusal.error : "stopped";
    const next = NEXT[refusal.kind];
    super(`${what}: ${error}`, { next, code: next === "retry" ? "provider_away" : "failed" });
    this.refusal = refusal;
  }
}

const NEXT = {
  rate_limited: "retry",
  fault: "retry",
  interrupted: "retry",
  key_refused: "pause",
  outside_contract: "refuse",
  not_found: "refuse",
} as const;
