import { spanText } from "../../../kit/time.ts";
import type { Timeline } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { Outside } from "../parts/outside.tsx";
import { Time } from "../parts/time.tsx";
import { drawn } from "./drawn-entry.ts";

/** What passed between provider, relay and topic, from above to below. */
export function DrawnTimeline({ entries, furtherCallbacks }: Pick<Timeline, "entries" | "furtherCallbacks">) {
  return (
    <div class="sheet drawing">
      <div class="lanes" aria-hidden="true">
        <span>Provider</span>
        <span>Relay</span>
        <span>Topic</span>
      </div>
      <ol>
        {entries.map((entry, index) => {
          const { way, tone, says, detail, to } = drawn(entry);
          const before = entries[index - 1];
          const wait = before === undefined ? null : Date.parse(entry.at) - Date.parse(before.at);
          return (
            <li key={index} class={`step is-${tone}`}>
              <p class="step-time">
                <Time at={entry.at} as="clock" />
                <small>{wait === null ? "" : `+${spanText(wait)}`}</small>
              </p>
              <div class={`step-way way-${way}`}>
                <span class="arrow" aria-hidden="true" />
                <p class="step-says">
                  {to === null ? <Outside text={says} /> : <Link to={to}>{says}</Link>}
                  {detail !== null && (
                    <small>
                      <Outside text={detail} />
                    </small>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ol>
      {furtherCallbacks > 0 && (
        <p class="quiet">… and {furtherCallbacks.toLocaleString("en-US")} later callbacks</p>
      )}
    </div>
  );
}
