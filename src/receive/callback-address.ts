/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
export interface CallbackAddress {
  token: string;
  /** What follows the token, percent-decoded where it can be; null when nothing does. NUL becomes U+FFFD: Postgres holds none. */
  reference: string | null;
  /** As it stood in the URL, without `?`. */
  query: string;
  /** As it stood in the URL, the token masked. */
  path: string;
}

/**
 * Takes a request's URL apart, in the origin form or the absolute one. Tolerant of broken percent-encoding: a URL
 * that some provider cut off after 140 characters (interface, part D) may end inside an escape.
 */
export function callbackAddress(url: string): CallbackAddress {
  const [, raw = "", query = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?(.*))?/is.exec(url) ?? [];
  const [, , token = "", ...rest] = raw.split("/");
  const reference = rest.map(decoded).join("/").replaceAll("\0", "\uFFFD");
  return {
    token: decoded(token),
    reference: reference === "" ? null : reference,
    query,
    path: ["/callbacks/***", ...rest].join("/"),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
