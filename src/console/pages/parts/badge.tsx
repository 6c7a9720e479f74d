import { None } from "./money.tsx";
import { type Tone, toneOf, wordOf } from "./state-words.ts";

/** A verdict or state in its word and colour; a dash where there is none. @param as another word for it. */
export function Badge({ state, tone, as }: { state: string | null; tone?: Tone; as?: string }) {
  if (state === null) return <None />;
  return <span class={`badge is-${tone ?? toneOf(state)}`}>{as ?? wordOf(state)}</span>;
}
