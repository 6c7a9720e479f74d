import { stepOf } from "../../../../operations/views/timeline.ts";
import type { Timeline } from "../api/client.ts";
import { Link } from "../kit/router.tsx";
import { capital, countText } from "../kit/text.ts";
import { Outside, Time } from "../parts/values.tsx";

type TimelineProps = Pick<Timeline, "invoiceId" | "entries" | "furtherCallbacks">;

/** Each step of a payment, the oldest first, and between whom. */
export const TimelineShown = ({ invoiceId, entries, furtherCallbacks }: TimelineProps) => (
  <ol class="sheet lined">
    {entries.map((entry, index) => {
      const { way, tone, says, detail } = stepOf(entry);
      return (
        <li key={index} class={`step is-${tone}`}>
          <Time at={entry.at} isWhole />
          <span class="quiet">{capital(way.replace("-", " to "))}</span>
          <div>
            <p class="toned">
              {entry.kind === "callback" ? (
                <Link to={`callbacks/${entry.id}`}>{says}</Link>
              ) : (
                <Outside text={says} />
              )}
            </p>
            {detail !== null && (
              <small>
                <Outside text={detail} />
              </small>
            )}
          </div>
        </li>
      );
    })}
    {furtherCallbacks > 0 && (
      <li>
        <Link to={`callbacks?invoiceId=${invoiceId}`}>
          … and {countText(furtherCallbacks)} later callbacks
        </Link>
      </li>
    )}
  </ol>
);
