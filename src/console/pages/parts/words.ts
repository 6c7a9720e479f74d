import type { AlarmName } from "../../../alarms/alarm-definitions.ts";
import { shortTime, zone } from "../kit/time.ts";

/** What a colour says, and nothing else has one: done, held back, a person is needed, under way, neither. */
export type Tone = "good" | "wait" | "bad" | "move" | "plain";

/** The states, verdicts, results and weights that the relay names, by their colour; all else is plain. */
const OF_TONE: Readonly<Partial<Record<Tone, readonly string[]>>> = {
  good: ["paid", "published", "done", "on", "closed", "equal"],
  move: ["pending", "due", "claimed", "running", "half_open"],
  wait: ["quarantined", "held", "paused", "backing_off", "unreadable", "differs", "difference", "warning"],
  bad: ["refused", "dead", "lost", "failed", "missing", "gap", "amount_differs", "not_equal", "critical"],
};

/** Where another word than its own says it better. */
const WORDS: Readonly<Record<string, string>> = {
  closed: "working",
  pending: "being confirmed",
  due: "waiting",
  claimed: "under way",
  half_open: "being tried",
  quarantined: "in quarantine",
  dead: "dead letter",
  cancelled: "stopped",
};

/** Where the payments are that no answer covers yet. */
export const BEING_CONFIRMED = "payments?verdict=pending";

export const toneOf = (state: string): Tone =>
  (Object.keys(OF_TONE) as Tone[]).find((tone) => OF_TONE[tone]?.includes(state)) ?? "plain";
export const wordOf = (state: string): string => WORDS[state] ?? state.replaceAll("_", " ");

/** A text of the relay's with its times, which it says in UTC, as they are shown here. */
const withTimesHere = (text: string): string =>
  text.replaceAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g, (_, day, clock) =>
    shortTime(new Date(`${day}T${clock}Z`), zone.value),
  );

/** What the relay's texts say for somebody at a terminal, and what does the same here. */
const COMMANDS: readonly (readonly [command: RegExp, here: string])[] = [
  [/: invoice-relay dead retry \S+$/, ", open the dead letter and retry it."],
  [/: invoice-relay quarantine release \S+$/, ", open it in quarantine and release it."],
  [/ Ask again: invoice-relay replay confirmations\./, " Ask again."],
  [/, this sends it again: invoice-relay reconcile\./, ", reconcile its day: the page Completeness does it."],
  [/: invoice-relay resume (confirm|publish)\./, "; it is resumed in Settings."],
  [/; once the settings are right, run: invoice-relay replay callbacks --refused$/, "."],
  [/ Resume it with: invoice-relay replay resume \S+$/, ""],
  [/ See: invoice-relay certify --from \S+ --to \S+$/, ""],
];

/** A text of the relay's with its times in the zone that is shown, and the console's own way for a command. */
export const sayHere = (text: string): string =>
  COMMANDS.reduce((said, [command, here]) => said.replace(command, here), withTimesHere(text));

/** What to do about an alarm where a button does it, instead of the command that does the same. */
const TO_DO: Readonly<Partial<Record<AlarmName, string>>> = {
  database_away:
    "Look at Postgres; once it is back after a long outage, reconcile those days in Completeness.",
  recording_failing:
    "Do what its detail says; once callbacks are recorded again after a long outage, reconcile those days in " +
    "Completeness.",
  provider_answer_outside_contract: "Look at the answer, and tell the provider; it is asked again.",
  confirmation_dead: "Read why; once the cause is gone, retry it.",
  event_dead: "Read why; once the cause is gone, retry it.",
  invoice_quarantined:
    "If the collection is yours, release it, and add the collection to COLLECTION_IDS. If not, dismiss it.",
  invoice_anomaly: "Compare what the provider answered, and ask them.",
  certificate_gap: "Read what is missing, then reconcile the day.",
  replay_failed: "Read the reason, then resume it.",
  pause_standing: "Once the reason is gone, resume it in Settings.",
  callback_refused:
    "Compare CALLBACK_… with what the provider sends; if they were genuine, read them again once that is right.",
};

/** @param action what the relay says, for somebody at a terminal. */
export const doHere = (name: string | null, action: string): string => TO_DO[name as AlarmName] ?? action;
