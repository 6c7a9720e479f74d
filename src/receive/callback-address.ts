/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
export interface CallbackAddress {
  token: string;
  /**
   * What follows the token, percent-decoded where it can be; null when nothing does. NUL becomes U+FFFD:
   * Postgres holds none.
   */
  reference: string | null;
  /** As it stood in the URL, without `?`. */
  query: string;
  /** As it stood in the URL, the token masked. */
  path: string;
}

/**
 * Takes a request's URL apart, in the origin form or the absolute one. Tolerant of broken percent-encoding: a
 * URL that some provider cut off after 140 characters (interface, part D) may end inside an escape.
 */
export function callbackAddress(url: string): CallbackAddress {
  const target = url.startsWith("/") ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = target.search(/[?#]/);
  const raw = end === -1 ? target : target.slice(0, end);
  const [root = "", callbacks = "", token = ""] = raw.split("/", 3);
  const rest = raw.slice(root.length + callbacks.length + token.length + 2);
  const reference = decoded(rest.slice(1)).replaceAll("\0", "\uFFFD");
  return {
    token: decoded(token),
    reference: reference === "" ? null : reference,
    query: target[end] === "?" ? target.slice(end + 1) : "",
    path: `/callbacks/***${rest}`,
  };
}

/** Each segment by itself: one whose encoding is broken leaves the others readable. */
function decoded(text: string): string {
  return text.includes("%") ? text.split("/").map(decodedSegment).join("/") : text;
}

function decodedSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
