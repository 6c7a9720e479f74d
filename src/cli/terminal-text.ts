import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import type { Output } from "./command-context.ts";

/** What `plainText` does, for text of several lines: tabs, line ends and our own colours stay. */
export const plainLines = (text: string): string =>
  coloured(text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD"));

/** Equivalent JSON that cannot control a terminal: `JSON.stringify` escapes only C0. */
export const plainJson = (json: string): string =>
  json.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

const LOOKS = { good: "green", look: "yellow", bad: "red", title: "bold" } as const;

export type Look = keyof typeof LOOKS;

/** Random in each process, so that no outside text can be mistaken for a colour. */
const MARK = randomBytes(8).toString("hex");

/**
 * Marks text for a colour. `coloured` turns the marks into colours after everything else that could control
 * the terminal was removed; without a terminal, or with NO_COLOR, they are dropped.
 */
export function paint(
  output: Output,
  environment: Record<string, string | undefined>,
  look: Look,
  text: string,
): string {
  const [on = 0, off = 0] = inspect.colors[LOOKS[look]] ?? [];
  return isColourful(output, environment) ? `${mark(on)}${text}${mark(off)}` : text;
}

const mark = (code: number): string => `\uE000${MARK}:${code}\uE001`;

const coloured = (text: string): string =>
  text.replaceAll(new RegExp(`\uE000${MARK}:(\\d+)\uE001`, "g"), "\u001B[$1m");

/** As on https://no-color.org: any value counts; FORCE_COLOR colours what is piped, too. */
export function isColourful(output: Output, environment: Record<string, string | undefined>): boolean {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM = "" } = environment;
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return output.isTTY === true && TERM !== "dumb";
}
