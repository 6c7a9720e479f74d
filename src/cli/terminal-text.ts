import { coloured } from "./paint.ts";

/**
 * What can steer a terminal or turn the order of what is read: control characters (C0, C1, DEL), format
 * characters (bidi and zero-width ones among them), and line separators.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of strangers as one line that cannot steer a terminal; what could is shown as U+FFFD. */
export const plainText = (text: string): string => text.replaceAll(STEERING, "\uFFFD");

/** The same for text of several lines, which are ours: tabs, line ends and our own colours stay. */
export const plainLines = (text: string): string =>
  coloured(text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD"));

/** JSON that says the same, with what could steer a terminal escaped: `JSON.stringify` escapes C0 only. */
export const plainJson = (json: string): string =>
  json.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
