import { stepOf } from "../../../../operations/views/timeline.ts";
import { spanText } from "../../../../platform/values/time.ts";
import type { Timeline, TimelineEntry } from "../api/client.ts";
import { Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { zone } from "../kit/time.ts";
import { Outside, Time } from "../parts/values.tsx";
import { type Drawn, storyOf } from "./story.ts";

/** The messages between provider, relay and topic, from above to below. */
export function DrawnTimeline({
  invoiceId,
  entries,
  furtherCallbacks,
}: Pick<Timeline, "invoiceId" | "entries" | "furtherCallbacks">) {
  const lines = storyOf(
    entries.map((entry) => ({ at: entry.at, row: drawEntry(entry, invoiceId) })),
    zone.value,
  );
  return (
    <div class="sheet drawing">
      <div class="spread lanes quiet" aria-hidden="true">
        <span>Provider</span>
        <span>Relay</span>
        <span>Topic</span>
      </div>
      <ol>
        {lines.map(({ first, at, times, lastAt, day }, index) => {
          const { way, tone, says, detail } = first;
          const to = times > 1 && first.toAll !== undefined ? first.toAll : first.to;
          const before = lines[index - 1];
          const wait = before === undefined ? null : Date.parse(at) - Date.parse(before.lastAt);
          return (
            <li key={index} class={`step is-${tone}`}>
              {day !== null && <p class="step-day quiet">{day}</p>}
              <p class="step-time quiet">
                <Time at={at} as="clock" />
                <small>{wait === null ? "" : `+${spanText(wait)}`}</small>
              </p>
              <div class={`step-way way-${way}${way.includes("-") ? " is-between" : ""}`}>
                <span class="arrow" aria-hidden="true" />
                <p class="step-says">
                  {to === undefined ? <Outside text={says} /> : <Link to={to}>{says}</Link>}
                  {times > 1 && (
                    <small class="block">
                      {countText(times)} times, the last at <Time at={lastAt} as="clock" />
                    </small>
                  )}
                  {detail !== null && (
                    <small class="block">
                      <Outside text={detail} />
                    </small>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ol>
      {furtherCallbacks > 0 && <p class="quiet">… and {countText(furtherCallbacks)} later callbacks</p>}
    </div>
  );
}

/** A step, and the pages that show one of them, and all. */
const drawEntry = (entry: TimelineEntry, invoiceId: string): Drawn => ({
  ...stepOf(entry),
  ...(entry.kind === "callback" && {
    to: `callbacks/${entry.id}`,
    toAll: `callbacks?invoiceId=${invoiceId}`,
  }),
});
