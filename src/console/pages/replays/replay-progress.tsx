import type { Replay } from "../api/types.ts";
import { countText } from "../kit/money-text.ts";
import { countOf, shareOf } from "./replay-words.ts";

/** How far it is: a bar, and the same in words. */
export function ReplayProgress({ replay }: { replay: Replay }) {
  const { handled, matching, kind } = replay;
  return (
    <span class="replay-progress">
      <progress class="progress" aria-label="Progress" value={shareOf(replay)} max={1} />
      <span>
        {countText(handled)} of {countOf(kind, matching)}
      </span>
    </span>
  );
}
