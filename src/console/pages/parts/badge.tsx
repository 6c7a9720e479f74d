import { type Tone, toneOf, wordOf } from "./state-words.ts";

/** A verdict or state in its word and colour. @param as another word for it. */
export function Badge({ state, tone, as }: { state: string; tone?: Tone; as?: string }) {
  return <span class={`badge is-${tone ?? toneOf(state)}`}>{as ?? wordOf(state)}</span>;
}
