import type { AlarmName } from "../database/alarms.ts";

/** What a person does about an alarm, in a sentence; docs/operations.md says more. */
export const ALARM_ACTIONS: Readonly<Record<AlarmName, string>> = {
  callback_refused:
    "Callbacks fail a configured check: compare CALLBACK_… with what the provider sends; if they were " +
    "genuine, run invoice-relay replay callbacks --refused.",
  callbacks_over_budget:
    "If they are genuine, raise CALLBACKS_PER_HOUR or its neighbours; else the callback token leaked: " +
    "rotate it.",
  database_away: "It is over by now, or this could not be read; if it was long, run invoice-relay reconcile.",
  source_failing: "Ask the provider whether it is up; confirmations are asked again by themselves.",
  source_paused:
    "Check COLLECTION_API_KEY, and whether the provider allows this address; asking goes on by itself.",
  retry_after_capped: "Ask the upstream why it wants to wait that long; it is tried again by itself.",
  unknown_ids_flooding:
    "Somebody sends made-up ids: block the address before the relay, or change the callback token.",
  sweep_failing:
    "Nothing is reconciled meanwhile: look at the error, and run invoice-relay doctor; it is tried again " +
    "by itself.",
  certificate_gap: "Read it with invoice-relay certificate show, then run invoice-relay reconcile.",
  certificate_failing:
    "Nobody knows whether anything is missing: read the detail, and run invoice-relay doctor; it is tried " +
    "again by itself.",
  provider_answer_outside_contract:
    "Look at the answer with invoice-relay invoice <id>, and tell the provider; it is asked again.",
  confirmation_dead:
    "Read it with invoice-relay dead show <id>; once the cause is gone: invoice-relay dead retry <id>.",
  invoice_quarantined:
    "Is the collection yours? invoice-relay quarantine release <id>, and add it to COLLECTION_IDS; else " +
    "dismiss it.",
  invoice_anomaly: "Compare with the provider: invoice-relay invoice <id>.",
  event_dead:
    "Read it with invoice-relay dead show <id>; once the cause is gone: invoice-relay dead retry <id>.",
  event_truncated: "Consumers got the event without its metadata and beneficiaries: they ask the provider.",
  topic_failing: "Look at SNS' health and quotas; events are sent again by themselves.",
  topic_paused: "Check the topic, AWS_REGION and the credentials; sending goes on by itself.",
  replay_failed: "Read why with invoice-relay replay show <id>, then invoice-relay replay resume <id>.",
};
