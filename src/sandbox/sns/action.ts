import type { Fields } from "./query-protocol.ts";

/** Who asks. A request without an Authorization header or signature is nobody's. */
export interface Caller {
  readonly signed: boolean;
}

/**
 * One action of the SNS API: from the fields of a request to the XML of its result, or undefined where SNS
 * answers no result.
 * @throws SnsError for a request that is refused.
 */
export type Action = (fields: Fields, caller: Caller) => string | undefined;
