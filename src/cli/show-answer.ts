import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";
import type { Door } from "./door.ts";

/** Prints what the provider answered; the callback token that an invoice holds is masked, in JSON as well. */
export function showAnswer<Value>(door: Door, value: Value, human: (value: Value) => string): void {
  door.print(withoutCallbackTokens(door.json ? JSON.stringify(value, null, 2) : human(value)));
}

/** The same for one of many as they come: a line of JSON. */
export function showAnswerLine(door: Door, value: unknown): void {
  door.print(withoutCallbackTokens(JSON.stringify(value)));
}
