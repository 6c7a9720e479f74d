import { styleText } from "node:util";
import type { Output } from "./command-context.ts";

/** What a colour stands for. */
const LOOKS = { good: "green", look: "yellow", bad: "red", title: "bold" } as const;

export type Look = keyof typeof LOOKS;

/** Colours text for a person's terminal; without one, or with NO_COLOR, the text stays as it is. */
export function paint(
  output: Output,
  environment: Record<string, string | undefined>,
  look: Look,
  text: string,
): string {
  return isColourful(output, environment) ? styleText(LOOKS[look], text, { validateStream: false }) : text;
}

/** As on https://no-color.org: any value counts; FORCE_COLOR colours what is piped, too. */
export function isColourful(output: Output, environment: Record<string, string | undefined>): boolean {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM = "" } = environment;
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return output.isTTY === true && TERM !== "dumb";
}
