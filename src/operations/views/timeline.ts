import { numberOf, shortText } from "../../platform/values/text.ts";
import type { TimelineEntry } from "../timeline.ts";
import type { Either } from "./view.ts";

type Entry = Either<TimelineEntry>;

/** Something that happened to an invoice: where, or between which two it passed, whether it is good, and in words. */
interface Step {
  way: "provider" | "relay" | "provider-relay" | "relay-provider" | "relay-topic";
  tone: "good" | "wait" | "bad" | "move" | "plain";
  says: string;
  /** More of it, written by others or long. */
  detail: string | null;
}

const step = (way: Step["way"], tone: Step["tone"], says: string, detail: string | null = null): Step => ({
  ...{ way, tone, says, detail },
});

const STEPS: { [Kind in Entry["kind"]]: (entry: Extract<Entry, { kind: Kind }>) => Step } = {
  paid: () => step("provider", "good", "Paid, says the provider"),
  callback({ bytes, remoteAddress, foundBy, method, verdict }) {
    const size = bytes === null ? "erased" : numberOf(bytes, "byte");
    const from = remoteAddress === null ? "" : ` from ${remoteAddress}`;
    const found = foundBy === null ? "" : `; id found in ${foundBy}`;
    const own = verdict === null ? "" : `; ${verdict}`;
    return step("provider-relay", "plain", "Callback recorded", `${method}${from}, ${size}${found}${own}`);
  },
  confirmation: ({ openedBy }) => step("relay", "plain", `Confirmation opened by ${openedBy}`),
  answer: ({ status }) =>
    step(
      "provider-relay",
      status.toLowerCase() === "paid" ? "good" : "wait",
      "Provider asked; it answered",
      shortText(status),
    ),
  ask_failed: ({ error }) => step("relay-provider", "bad", "No usable answer", error),
  verdict: ({ state, verdict }) =>
    state === "dead"
      ? step("relay", "bad", "Given up: a dead letter")
      : step(
          "relay",
          verdict === "paid" ? "good" : "wait",
          `Verdict: ${(verdict ?? "none").replaceAll("_", " ")}`,
        ),
  event: ({ type, id }) => step("relay", "plain", `${type} written to the outbox`, `event id ${id}`),
  publication({ replayId, replayedBy, messageId, topicArn }) {
    const by = replayedBy === null ? "" : ` by ${replayedBy}`;
    const says = replayId === null ? "Published; SNS accepted it" : `Published again, by a replay${by}`;
    return step("relay-topic", "good", says, `MessageId ${messageId} on ${topicArn}`);
  },
  send_failed: ({ error }) => step("relay-topic", "bad", "Sending to SNS failed", error),
  alarm: ({ name, detail, times }) =>
    step("relay", "bad", `Alarm ${name}${times > 1 ? ` (${times} times)` : ""}`, detail),
  alarm_cleared: ({ name }) => step("relay", "plain", `Alarm ${name} is over`),
  action: ({ action, subject, actor, reason }) =>
    step(
      "relay",
      "move",
      `${action}${/^(pause|resume|replay)/.test(action) ? ` of ${subject}` : ""} by ${actor}`,
      reason,
    ),
};

export const stepOf = (entry: Entry): Step => (STEPS[entry.kind] as (entry: Entry) => Step)(entry);

export function wordsOf(entry: Entry): string {
  const { says, detail } = stepOf(entry);
  return detail === null ? says : `${says}: ${detail}`;
}
