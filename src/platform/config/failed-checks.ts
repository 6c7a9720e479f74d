/** Each check of its source that a refused callback may have failed, and what that says of it. */
export const FAILED_CHECKS = {
  address: "its sender's address is not allowed",
  header_missing: "it came without a header that is checked",
  header_token: "its header token is wrong",
  hmac: "its HMAC does not hold",
  standard_webhook: "its signature does not hold",
} as const;

export type FailedCheck = keyof typeof FAILED_CHECKS;

/** Why a callback was refused. @param check null of one that came before that was written down. */
export const whyRefused = (check: FailedCheck | null): string =>
  check === null ? "it failed a check" : FAILED_CHECKS[check];
