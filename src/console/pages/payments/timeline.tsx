import { shortText } from "../../../kit/text.ts";
import { spanText } from "../../../kit/time.ts";
import type { Timeline, TimelineEntry } from "../api/types.ts";
import { zone } from "../kit/look.ts";
import { Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { Outside, Time } from "../parts/values.tsx";
import { type Tone, wordOf } from "../parts/words.ts";
import { storyOf } from "./story.ts";

/** What passed between provider, relay and topic, from above to below. */
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
          const { way, tone, says, detail = null } = first;
          const to = times > 1 && first.toAll !== undefined ? first.toAll : first.to;
          const before = lines[index - 1];
          const wait = before === undefined ? null : Date.parse(at) - Date.parse(before.lastAt);
          return (
            <li key={index} class={`step is-${tone}`}>
              {day !== null && <p class="step-day">{day}</p>}
              <p class="step-time">
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

/** Where something happens, or between which two it passes. */
type Way = "provider" | "relay" | "provider-relay" | "relay-provider" | "relay-topic";

/** An entry of a timeline as it is drawn. */
interface Drawn {
  way: Way;
  tone: Tone;
  /** What happened, in a few words. */
  says: string;
  /** More of it, written by others or long. */
  detail?: string | null;
  /** A page that shows it whole. */
  to?: string;
  /** The page of several in a row. */
  toAll?: string;
}

const draw = (
  way: Way,
  tone: Tone,
  says: string,
  more: Pick<Drawn, "detail" | "to" | "toAll"> = {},
): Drawn => ({
  way,
  tone,
  says,
  ...more,
});

/** What happened, where it is drawn, and in which words. */
function drawEntry(entry: TimelineEntry, invoiceId: string): Drawn {
  switch (entry.kind) {
    case "paid":
      return draw("provider", "good", "Paid, says the provider");
    case "callback": {
      const bytes = entry.bytes === null ? "erased" : `${countText(entry.bytes)} bytes`;
      const from = entry.remoteAddress === null ? "" : ` from ${entry.remoteAddress}`;
      const found = entry.foundBy === null ? "" : `; id found in ${entry.foundBy}`;
      const detail = `${entry.method}${from}, ${bytes}${found}`;
      return draw("provider-relay", "plain", "Callback recorded", {
        detail,
        to: `callbacks/${entry.id}`,
        toAll: `callbacks?invoiceId=${invoiceId}`,
      });
    }
    case "confirmation":
      return draw("relay", "plain", `Confirmation opened by ${entry.openedBy}`);
    case "answer": {
      const tone = entry.status.toLowerCase() === "paid" ? "good" : "wait";
      const detail = shortText(entry.status);
      return draw("provider-relay", tone, "Provider asked; it answered", { detail });
    }
    case "ask_failed":
      return draw("relay-provider", "bad", "No usable answer", { detail: entry.error });
    case "verdict":
      if (entry.state === "dead") return draw("relay", "bad", "Given up: a dead letter");
      return draw(
        "relay",
        entry.verdict === "paid" ? "good" : "wait",
        `Verdict: ${wordOf(entry.verdict ?? "none")}`,
      );
    case "event":
      return draw("relay", "plain", `${entry.type} written to the outbox`);
    case "publication": {
      const says = entry.replayId === null ? "Published; SNS accepted it" : "Published again, by a replay";
      return draw("relay-topic", "good", says, { detail: `MessageId ${entry.messageId}` });
    }
    case "send_failed":
      return draw("relay-topic", "bad", "Sending failed", { detail: entry.error });
    case "alarm":
      return draw("relay", "bad", `Alarm: ${wordOf(entry.name)}`, { detail: entry.detail });
    case "alarm_cleared":
      return draw("relay", "plain", `Alarm over: ${wordOf(entry.name)}`);
    case "action": {
      const says = `${entry.action.replaceAll(".", " ")} by ${entry.actor}`;
      return draw("relay", "move", says, { detail: entry.reason });
    }
    default:
      return draw("relay", "plain", wordOf((entry as { kind: string }).kind));
  }
}
