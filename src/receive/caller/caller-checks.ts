import type { IncomingHttpHeaders } from "node:http";
import type { CallbackChecks } from "../../kit/callback-checks.ts";
import { AllowedAddresses } from "./allowed-addresses.ts";
import { hmacHolds } from "./hmac-signature.ts";
import { standardWebhookHolds } from "./standard-webhook.ts";

export interface Caller {
  headers: IncomingHttpHeaders;
  /** The raw bytes, as signed. */
  body: Uint8Array;
  address: string;
}

/** Which of a source's checks a caller failed. */
export type FailedCheck = "address" | "header_token" | "hmac" | "standard_webhook";

/** What a source demands of its callers beyond the token (interface, part C: for when a provider signs). */
export class CallerChecks {
  readonly #checks: CallbackChecks;
  readonly #addresses: AllowedAddresses | null;

  constructor(checks: CallbackChecks) {
    this.#checks = checks;
    this.#addresses =
      checks.allowedAddresses.length > 0 ? new AllowedAddresses(checks.allowedAddresses) : null;
  }

  /** @returns the first check that failed, null when all hold. */
  failedBy({ headers, body, address }: Caller, now: Date): FailedCheck | null {
    const { hmac, headerToken, standardWebhooks } = this.#checks;
    if (this.#addresses !== null && !this.#addresses.includes(address)) return "address";
    if (headerToken !== null) {
      const given = single(headers[headerToken.header]) ?? "";
      if (!headerToken.tokens.map((token) => token.equals(given)).includes(true)) return "header_token";
    }
    if (hmac !== null && !hmacHolds(hmac, single(headers[hmac.header]), body)) return "hmac";
    if (standardWebhooks !== null && !standardWebhookHolds(standardWebhooks, headers, body, now))
      return "standard_webhook";
    return null;
  }
}

const single = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;

/** The headers that these checks look at: each holds a secret, or something made with one. */
export const checkedHeaders = ({ hmac, headerToken, standardWebhooks }: CallbackChecks): string[] => [
  ...(hmac === null ? [] : [hmac.header]),
  ...(headerToken === null ? [] : [headerToken.header]),
  ...(standardWebhooks === null ? [] : ["webhook-signature"]),
];
