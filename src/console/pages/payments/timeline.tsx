import { shortText } from "../../../kit/text.ts";
import { spanText } from "../../../kit/time.ts";
import type { Timeline, TimelineEntry } from "../api/client.ts";
import { Link } from "../kit/router.tsx";
import { countText, numberOf } from "../kit/text.ts";
import { zone } from "../kit/time.ts";
import { Outside, Time } from "../parts/values.tsx";
import { wordOf } from "../parts/words.ts";
import { type Drawn, storyOf } from "./story.ts";

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

const draw = (
  way: Drawn["way"],
  tone: Drawn["tone"],
  says: string,
  more: Pick<Drawn, "detail" | "to" | "toAll"> = {},
): Drawn => ({ way, tone, says, ...more });

/** By kind, where each is drawn, and in which words. */
const DRAW: {
  [Kind in TimelineEntry["kind"]]: (
    entry: Extract<TimelineEntry, { kind: Kind }>,
    invoiceId: string,
  ) => Drawn;
} = {
  paid: () => draw("provider", "good", "Paid, says the provider"),
  callback({ id, bytes, remoteAddress, foundBy, method }, invoiceId) {
    const size = bytes === null ? "erased" : numberOf(bytes, "byte");
    const from = remoteAddress === null ? "" : ` from ${remoteAddress}`;
    const found = foundBy === null ? "" : `; id found in ${foundBy}`;
    return draw("provider-relay", "plain", "Callback recorded", {
      detail: `${method}${from}, ${size}${found}`,
      to: `callbacks/${id}`,
      toAll: `callbacks?invoiceId=${invoiceId}`,
    });
  },
  confirmation: ({ openedBy }) => draw("relay", "plain", `Confirmation opened by ${openedBy}`),
  answer: ({ status }) =>
    draw("provider-relay", status.toLowerCase() === "paid" ? "good" : "wait", "Provider asked; it answered", {
      detail: shortText(status),
    }),
  ask_failed: ({ error }) => draw("relay-provider", "bad", "No usable answer", { detail: error }),
  verdict: ({ state, verdict }) =>
    state === "dead"
      ? draw("relay", "bad", "Given up: a dead letter")
      : draw("relay", verdict === "paid" ? "good" : "wait", `Verdict: ${wordOf(verdict ?? "none")}`),
  event: ({ type }) => draw("relay", "plain", `${type} written to the outbox`),
  publication: ({ replayId, messageId }) =>
    draw(
      "relay-topic",
      "good",
      replayId === null ? "Published; SNS accepted it" : "Published again, by a replay",
      { detail: `MessageId ${messageId}` },
    ),
  send_failed: ({ error }) => draw("relay-topic", "bad", "Sending failed", { detail: error }),
  alarm: ({ name, detail }) => draw("relay", "bad", `Alarm: ${wordOf(name)}`, { detail }),
  alarm_cleared: ({ name }) => draw("relay", "plain", `Alarm over: ${wordOf(name)}`),
  action: ({ action, actor, reason }) =>
    draw("relay", "move", `${action.replaceAll(".", " ")} by ${actor}`, { detail: reason }),
};

const drawEntry = (entry: TimelineEntry, invoiceId: string): Drawn =>
  (DRAW[entry.kind] as (entry: TimelineEntry, invoiceId: string) => Drawn)(entry, invoiceId);
