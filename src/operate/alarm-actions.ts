import type { AlarmName } from "../alarms/alarms.ts";

/** What to do about an alarm, in a sentence; docs/operations.md has the details. */
export const actionOf = ({ name, subject }: { name: AlarmName; subject: string }): string =>
  ACTIONS[name].replaceAll("<id>", () => subject);

/** `<id>` stands for the alarm's subject. */
const ACTIONS: Readonly<Record<AlarmName, string>> = {
  callback_refused:
    "Callbacks fail a configured check: compare CALLBACK_… with what the provider sends; if they were " +
    "genuine, run invoice-relay replay callbacks --refused.",
  callbacks_over_budget:
    "If they are genuine, raise CALLBACKS_PER_HOUR or the related settings; if not, the callback token " +
    "has leaked: rotate it.",
  database_away: "Look at Postgres; once it is back after a long outage, run invoice-relay reconcile.",
  recording_failing:
    "Do what its detail says; once callbacks are recorded again after a long outage, run invoice-relay " +
    "reconcile.",
  source_failing: "Ask the provider whether it is up; confirmations are retried automatically.",
  source_paused:
    "Check COLLECTION_API_KEY, and whether the provider allows this address; asking resumes automatically.",
  retry_after_capped: "Ask the upstream why it demands such a long wait; it is retried automatically.",
  unknown_ids_flooding:
    "Someone sends made-up ids: block the address in front of the relay, or rotate the callback token.",
  sweep_failing:
    "Nothing is reconciled meanwhile: read the error and run invoice-relay doctor; it is retried " +
    "automatically.",
  certificate_gap: "Read it with invoice-relay certificate show, then run invoice-relay reconcile.",
  certificate_failing:
    "It is unknown whether anything is missing: read the detail and run invoice-relay doctor; it is " +
    "retried automatically.",
  maintenance_failing:
    "Read the error: what is old stays, and the disk fills meanwhile; run invoice-relay retention once the " +
    "cause is gone.",
  clock_stepped:
    "Check the time service (NTP) of the machine that it names. Nothing else is needed: it closes by " +
    "itself after an hour.",
  provider_answer_outside_contract:
    "Look at the answer with invoice-relay invoice <id>, and tell the provider; it will be asked again.",
  invoice_unanswered:
    "Ask the provider why it answers about others and not about this one; it goes on being asked for.",
  confirmation_dead:
    "Read it with invoice-relay dead show <id>; once the cause is gone: invoice-relay dead retry <id>.",
  invoice_quarantined:
    "If the collection is yours: invoice-relay quarantine release <id>, and add it to COLLECTION_IDS. If " +
    "not, dismiss it.",
  invoice_anomaly: "Compare with the provider: invoice-relay invoice <id>.",
  event_dead:
    "Read it with invoice-relay dead show <id>; once the cause is gone: invoice-relay dead retry <id>.",
  event_truncated:
    "Consumers got the event without metadata and beneficiaries; they can ask the provider for them.",
  topic_failing: "Check the health and quotas of SNS; events are sent again automatically.",
  topic_paused: "Check the topic, AWS_REGION and the credentials; sending resumes automatically.",
  replay_failed:
    "Read the reason with invoice-relay replay show <id>, then run invoice-relay replay resume <id>.",
};
