/** The parts of a callback's URL, `/callbacks/{token}[/{reference}][?query]`. */
export interface CallbackAddress {
  token: string;
  /**
   * What follows the token, percent-decoded where it can be; null when nothing does. NUL becomes U+FFFD:
   * Postgres holds none. Read only when it is asked for: nothing is done for whoever has a wrong token.
   */
  readonly reference: string | null;
  /** As it stood in the URL, without `?`. */
  query: string;
  /** As it stood in the URL, the token masked. */
  path: string;
}

/** Beyond so many segments, a reference with a broken one stays as it came: each costs an exception. */
const MOST_SEGMENTS = 32;

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
  return {
    token: decoded(token) ?? token,
    get reference() {
      return rest.length > 1 ? decodedReference(rest.slice(1)).replaceAll("\0", "\uFFFD") : null;
    },
    query: target[end] === "?" ? target.slice(end + 1) : "",
    path: `/callbacks/***${rest}`,
  };
}

/** As a whole where that can be done; else each segment by itself, so that a broken one spoils no other. */
function decodedReference(text: string): string {
  const whole = decoded(text);
  if (whole !== null) return whole;
  const segments = text.split("/", MOST_SEGMENTS + 1);
  if (segments.length > MOST_SEGMENTS) return text;
  return segments.map((segment) => decoded(segment) ?? segment).join("/");
}

/** null where the percent-encoding is broken. */
function decoded(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
