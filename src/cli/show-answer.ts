import { withoutCallbackTokens } from "../kit/mask.ts";
import type { CommandContext } from "./command-context.ts";

/** Prints the provider's answer; the callback token in an invoice is masked, also in JSON. */
export function showAnswer<Value>(
  context: CommandContext,
  value: Value,
  human: (value: Value) => string,
): void {
  context.print(withoutCallbackTokens(context.json ? JSON.stringify(value, null, 2) : human(value)));
}

/** Prints one of many answers as it arrives: one JSON document a line. */
export function showAnswerLine(context: CommandContext, value: unknown): void {
  context.print(withoutCallbackTokens(JSON.stringify(value)));
}
