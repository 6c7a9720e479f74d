/** A part of a body: an id that was found there, or what stands between them. */
export interface Part {
  at: number;
  text: string;
  isId: boolean;
}

const UUID_LENGTH = 36;

/**
 * A body cut where ids were found in it.
 * @param ids `at`: where each begins, in UTF-16 units; null stands elsewhere.
 */
export function markedText(text: string, ids: readonly { at: number | null; invoiceId: string }[]): Part[] {
  const starts = [...new Set(ids.flatMap(({ at }) => (at === null ? [] : [at])))].sort(
    (one, other) => one - other,
  );
  const parts: Part[] = [];
  let end = 0;
  for (const at of starts) {
    if (at < end || at + UUID_LENGTH > text.length) continue;
    if (at > end) parts.push({ at: end, text: text.slice(end, at), isId: false });
    parts.push({ at, text: text.slice(at, at + UUID_LENGTH), isId: true });
    end = at + UUID_LENGTH;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), isId: false });
  return parts;
}
