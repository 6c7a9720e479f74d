import { countText, numberOf } from "../../platform/values/text.ts";
import type { Change, ListedAlarm } from "../list/results.ts";
import { type Rows, source, state, text, time, type View, words } from "./view.ts";

export const ALARMS: Rows<ListedAlarm> = {
  one: "alarm",
  columns: [
    words("Alarm", "title", { note: ({ name }) => name, phone: "lead" }),
    state("Severity", "severity"),
    text("About", ({ subject, source }) => subject || source, { of: ({ about }) => about }),
    source(),
    time("Since", "raisedAt", {
      note: ({ times }) => (times > 1 ? `${countText(times)} times` : null),
      phone: "side",
    }),
    time("Over", "clearedAt"),
    words("Fault", "detail", { isLong: true }),
    words("Remedy", ({ clearedAt, action }) => (clearedAt === null ? action : null), {
      isLong: true,
      remedy: ({ remedy }) => remedy,
    }),
  ],
  none: "No alarms.",
  why: "Faults that need a person are listed here, and sent where ALARM_WEBHOOK_URL leads.",
  asCards: true,
};

export const CLOSED: View<{ count: number }> = {
  says: ({ count }) =>
    count === 0
      ? "No such alarm is open: nothing was changed."
      : `${numberOf(count, "alarm was", "alarms were")} closed.`,
  facts: [],
};

export const TESTED: View<{ problem: string | null }> = {
  says: ({ problem }) =>
    problem === null
      ? "ALARM_WEBHOOK_URL took a test message."
      : `ALARM_WEBHOOK_URL took no message: ${problem}.`,
  facts: [],
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
