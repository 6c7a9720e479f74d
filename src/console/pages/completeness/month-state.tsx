import type { KnownMonth } from "../api/types.ts";
import { Badge } from "../parts/values.tsx";
import type { Tone } from "../parts/words.ts";

/** `October 2026`. @param month YYYY-MM */
export const monthText = (month: string): string =>
  new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );

const STATES: Readonly<Record<KnownMonth["state"], readonly [tone: Tone, word: string]>> = {
  open: ["plain", "open"],
  closed: ["good", "closed"],
  changed: ["wait", "changed since"],
};

/** Whether the books of a month are closed. */
export function MonthBadge({ month: { state } }: { month: KnownMonth }) {
  const [tone, word] = STATES[state];
  return <Badge state={state} tone={tone} as={word} />;
}
