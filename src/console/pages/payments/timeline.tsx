import { shortText } from "../../../kit/text.ts";
import { spanText } from "../../../kit/time.ts";
import type { Timeline, TimelineEntry } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { Outside, Time } from "../parts/values.tsx";
import { type Tone, wordOf } from "../parts/words.ts";

/** What passed between provider, relay and topic, from above to below. */
export function DrawnTimeline({ entries, furtherCallbacks }: Pick<Timeline, "entries" | "furtherCallbacks">) {
  return (
    <div class="sheet drawing">
      <div class="spread lanes" aria-hidden="true">
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
              <div class={`step-way way-${way}${way.includes("-") ? " is-between" : ""}`}>
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

/** Where something happens, or between which two it passes. */
export type Way = "provider" | "relay" | "provider-relay" | "relay-provider" | "relay-topic";

/** An entry of a timeline as it is drawn. */
export interface Drawn {
  way: Way;
  tone: Tone;
  /** What happened, in a few words. */
  says: string;
  /** More of it, written by others or long; null where there is none. */
  detail: string | null;
  /** A page that shows it whole. */
  to: string | null;
}

const plain = { tone: "plain", detail: null, to: null } as const;

/** What happened, where it is drawn, and in which words. */
export function drawn(entry: TimelineEntry): Drawn {
  switch (entry.kind) {
    case "paid":
      return { ...plain, way: "provider", tone: "good", says: "Paid, says the provider" };
    case "callback": {
      const bytes = entry.bytes === null ? "erased" : `${entry.bytes.toLocaleString("en-US")} bytes`;
      const from = entry.remoteAddress === null ? "" : ` from ${entry.remoteAddress}`;
      const found = entry.foundBy === null ? "" : `; id found in ${entry.foundBy}`;
      return {
        ...plain,
        way: "provider-relay",
        says: "Callback recorded",
        detail: `${entry.method}${from}, ${bytes}${found}`,
        to: `callbacks/${entry.id}`,
      };
    }
    case "confirmation":
      return { ...plain, way: "relay", says: `Confirmation opened by ${entry.openedBy}` };
    case "answer":
      return {
        ...plain,
        way: "provider-relay",
        tone: entry.status.toLowerCase() === "paid" ? "good" : "wait",
        says: "Provider asked; it answered",
        detail: shortText(entry.status),
      };
    case "ask_failed":
      return { ...plain, way: "relay-provider", tone: "bad", says: "No usable answer", detail: entry.error };
    case "verdict":
      return entry.state === "dead"
        ? { ...plain, way: "relay", tone: "bad", says: "Given up: a dead letter" }
        : {
            ...plain,
            way: "relay",
            tone: entry.verdict === "paid" ? "good" : "wait",
            says: `Verdict: ${wordOf(entry.verdict ?? "none")}`,
          };
    case "event":
      return { ...plain, way: "relay", says: `${entry.type} written to the outbox` };
    case "publication":
      return {
        ...plain,
        way: "relay-topic",
        tone: "good",
        says: entry.replayId === null ? "Published; SNS accepted it" : "Published again, by a replay",
        detail: `MessageId ${entry.messageId}`,
      };
    case "send_failed":
      return { ...plain, way: "relay-topic", tone: "bad", says: "Sending failed", detail: entry.error };
    case "alarm":
      return {
        ...plain,
        way: "relay",
        tone: "bad",
        says: `Alarm: ${wordOf(entry.name)}`,
        detail: entry.detail,
      };
    case "alarm_cleared":
      return { ...plain, way: "relay", says: `Alarm over: ${wordOf(entry.name)}` };
    case "action":
      return {
        ...plain,
        way: "relay",
        tone: "move",
        says: `${entry.action.replaceAll(".", " ")} by ${entry.actor}`,
        detail: entry.reason,
      };
    default:
      return { ...plain, way: "relay", says: (entry as { kind: string }).kind.replaceAll("_", " ") };
  }
}
