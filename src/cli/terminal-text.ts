/** What `plainText` does, for text of several lines: tabs and line ends stay. */
export const plainLines = (text: string): string =>
  text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");

/** Equivalent JSON that cannot control a terminal: `JSON.stringify` escapes only C0. */
export const plainJson = (json: string): string =>
  json.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
