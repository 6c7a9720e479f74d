/** A text as a list shows it: at most this many characters, the last an ellipsis where more follow. */
export function shortText<Text extends string | null>(text: Text, most = 40): Text | string {
  if (text === null || text.length <= most) return text;
  // A character may take two units; more than the doubled length need not be looked at.
  const signs = [...text.slice(0, 2 * most + 2)];
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : text;
}
