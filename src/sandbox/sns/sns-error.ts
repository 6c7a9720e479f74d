/** The codes of Amazon SNS that this endpoint answers with, and their HTTP status. */
const STATUS = {
  AuthorizationError: 403,
  BatchEntryIdsNotDistinct: 400,
  BatchRequestTooLong: 400,
  EmptyBatchRequest: 400,
  InternalError: 500,
  InvalidAction: 400,
  InvalidBatchEntryId: 400,
  InvalidClientTokenId: 403,
  InvalidParameter: 400,
  MalformedQueryString: 400,
  MissingAuthenticationToken: 403,
  NotFound: 404,
  ParameterValueInvalid: 400,
  RequestEntityTooLarge: 413,
  SubscriptionLimitExceeded: 403,
  Throttled: 429,
  TooManyEntriesInBatchRequest: 400,
  TopicLimitExceeded: 403,
  ValidationError: 400,
} as const;

export type SnsErrorCode = keyof typeof STATUS;

/** A request that is refused, as SNS words it: the AWS SDK turns `code` into its typed exception. */
export class SnsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: SnsErrorCode, message: string) {
    super(message);
    this.name = "SnsError";
    this.code = code;
    this.status = STATUS[code];
  }

  /** True when the sender is at fault, so that the same request would be refused again. */
  get senderFault(): boolean {
    return this.status < 500;
  }
}

/** SNS puts these words before nearly everything that it refuses. */
export function invalidParameter(what: string): SnsError {
  return new SnsError("InvalidParameter", `Invalid parameter: ${what}`);
}
