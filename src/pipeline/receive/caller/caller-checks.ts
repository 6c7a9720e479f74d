import { hash, timingSafeEqual } from "node:crypto";
import type { Alarm } from "../../../platform/alarms/index.ts";
import type { CallbackChecks, FailedCheck, Source } from "../../../platform/config/index.ts";

import { type Caller, verifiersOf } from "./verifiers.ts";

/** What a source demands of its callers beyond the token. */
export class CallerChecks {
  readonly #verifiers: ReturnType<typeof verifiersOf>;
  /** Headers that the checks look at, in lower case. */
  readonly headers: readonly string[];

  constructor(checks: CallbackChecks) {
    this.#verifiers = verifiersOf(checks);
    this.headers = checkedHeaders(checks);
  }

  /** @returns the first check that failed, null when all hold. */
  failedBy(caller: Caller): FailedCheck | null {
    const failed = this.#verifiers.find(({ passes }) => !passes(caller));
    if (failed === undefined) return null;
    // A CDN or proxy strips headers; a wrong value tells of another secret.
    const isStripped = failed.header !== null && !caller.headers[failed.header];
    return isStripped ? "header_missing" : failed.failure;
  }
}

/** The headers that these checks look at: each holds a secret, or something made with one. */
export const checkedHeaders = (checks: CallbackChecks): string[] =>
  verifiersOf(checks).flatMap(({ header }) => header ?? []);

/** Written with the callback that failed the check (G13). @param headers those that the source's checks look at */
export const refusedAlarm = (source: string, check: FailedCheck, headers: readonly string[]): Alarm => ({
  name: "callback_refused",
  source,
  subject: check,
  detail: `${
    check === "header_missing"
      ? `Callbacks with a right token come without the header ${headers.join(" or ")}: a CDN or proxy in front ` +
        "strips it, the provider does not send it, or someone forges them. "
      : `Callbacks with a right token fail the check "${check}": someone forges them, or a secret or ` +
        "address changed. "
  }They are kept as refused and ask nothing.`,
});

const digestOf = (token: string): Buffer => hash("sha256", token, "buffer");

/** Which source a URL's token belongs to. Every known token is compared in full, so the time says nothing. */
export class CallbackTokens {
  readonly #known: { digest: Buffer; source: Source }[];

  constructor(sources: readonly Source[]) {
    this.#known = sources.flatMap((source) =>
      source.callbackTokens.map((token) => ({ digest: digestOf(token.reveal()), source })),
    );
  }

  sourceOf(token: string): Source | null {
    const given = digestOf(token);
    let found: Source | null = null;
    for (const { digest, source } of this.#known) if (timingSafeEqual(digest, given)) found = source;
    return found;
  }
}
