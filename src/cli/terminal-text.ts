import { coloured } from "./paint.ts";

/**
 * Characters that can control a terminal or change the reading order: control characters (C0, C1, DEL),
 * format characters (including bidi and zero-width ones), and line separators.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text from outside as one line that cannot control a terminal: such characters become U+FFFD. */
export const plainText = (text: string): string => text.replaceAll(STEERING, "\uFFFD");

/** The same for text of several lines: tabs, line ends and our own colours stay. */
export const plainLines = (text: string): string =>
  coloured(text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD"));

/** Equivalent JSON that cannot control a terminal: `JSON.stringify` escapes only C0. */
export const plainJson = (json: string): string =>
  json.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
