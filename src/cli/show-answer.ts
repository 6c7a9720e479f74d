import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";
import type { CommandContext } from "./command-context.ts";

/** Prints what the provider answered; the callback token that an invoice holds is masked, in JSON as well. */
export function showAnswer<Value>(
  context: CommandContext,
  value: Value,
  human: (value: Value) => string,
): void {
  context.print(withoutCallbackTokens(context.json ? JSON.stringify(value, null, 2) : human(value)));
}

/** The same for one of many as they come: a line of JSON. */
export function showAnswerLine(context: CommandContext, value: unknown): void {
  context.print(withoutCallbackTokens(JSON.stringify(value)));
}
