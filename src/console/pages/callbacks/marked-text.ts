import { indentedJson } from "../../../kit/json.ts";

const UUID_LENGTH = 36;

/** Cut where ids are: JSON over several lines, else as it came. @param ids `at` in UTF-16 units; null: elsewhere. */
export function markedText(body: string, ids: readonly { at: number | null }[]) {
  const text = indentedJson(body);
  const starts = ids
    .flatMap(({ at }) => (at === null || at + UUID_LENGTH > body.length ? [] : [sameIn(text, body, at)]))
    .sort((one, other) => one - other);
  const parts: { at: number; text: string; isId: boolean }[] = [];
  let end = 0;
  for (const at of starts) {
    if (at < end) continue;
    if (at > end) parts.push({ at: end, text: text.slice(end, at), isId: false });
    parts.push({ at, text: text.slice(at, at + UUID_LENGTH), isId: true });
    end = at + UUID_LENGTH;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), isId: false });
  return parts;
}

/** Where the id at a position of the body stands in its indented form: spaces move it, and change no order. */
function sameIn(text: string, body: string, at: number): number {
  const id = body.slice(at, at + UUID_LENGTH);
  let place = text.indexOf(id);
  for (let before = body.indexOf(id); before !== -1 && before < at; before = body.indexOf(id, before + 1))
    place = text.indexOf(id, place + 1);
  return place;
}
