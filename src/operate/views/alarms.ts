import { countText, numberOf } from "../../kit/text.ts";
import type { Change } from "../operations/records.ts";
import type { ListedAlarm } from "../operations/upstreams.ts";
import { type Rows, text, time, type View } from "./view.ts";

export const ALARMS: Rows<ListedAlarm> = {
  one: "alarm",
  columns: [
    text("Alarm", "name", { note: ({ severity }) => severity, phone: "lead" }),
    text("About", ({ subject, source }) => subject || source, { of: ({ about }) => about }),
    text("Source", "source", { phone: "away" }),
    time("Since", "raisedAt", {
      note: ({ times }) => (times > 1 ? `${countText(times)} times` : null),
      phone: "side",
    }),
    time("Over", "clearedAt"),
    time("Snoozed until", "snoozedUntil"),
    text("What is wrong", "detail", { isLong: true }),
    text("Note", "note", { isLong: true }),
    text("What to do", ({ clearedAt, action }) => (clearedAt === null ? action : null), { isLong: true }),
  ],
  none: "No alarms.",
  why: "What needs a person is listed here, and sent where ALARM_WEBHOOK_URL leads.",
  asCards: true,
};

/** @param done what became of them: "closed" */
export const alarmsChanged = (done: string): View<{ count: number }> => ({
  says: ({ count }) =>
    count === 0
      ? "No such alarm is open: nothing was changed."
      : `${numberOf(count, "alarm was", "alarms were")} ${done}.`,
});

export const WEBHOOK_TRIED: View<{ problem: string | null }> = {
  says: ({ problem }) =>
    problem === null
      ? "ALARM_WEBHOOK_URL took a test message."
      : `ALARM_WEBHOOK_URL took no message: ${problem}.`,
};

export const CHANGES: Rows<Change> = {
  one: "change",
  columns: [
    time("At", "at", { phone: "side" }),
    text("Who", "actor"),
    text("What", "action", { phone: "lead" }),
    text("Which", "subject", {
      of: ({ invoiceId, action }) => (invoiceId !== null ? "invoice" : (action.split(".")[0] ?? "")),
    }),
    text("Why", ({ detail: { reason } }) => (typeof reason === "string" ? reason : null), { isLong: true }),
  ],
  none: "Nothing has been changed by hand.",
  why: "Each retry, release, pause, replay and erasure is written down here, with its reason.",
};
