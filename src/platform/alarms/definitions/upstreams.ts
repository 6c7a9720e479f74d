import type { AlarmDefinition } from "../alarm-definition.ts";

export const ALARMS_OF_UPSTREAMS = {
  source_failing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["the provider fails", "sources whose provider fails"],
    about: "upstream",
    means:
      "The provider fails again and again (time-outs, 5xx, broken answers), or answers 429 without saying " +
      "until when, five times in a row. The circuit breaker is open and tries again every 10 s at most, " +
      "after a 429 every 30 s.",
    ends: "with the first answer; where only lists were slowed down, with the first page that is read.",
    action: "Ask the provider whether it is up; confirmations are retried automatically.",
    todo:
      "Nothing to do here while the provider is down; tell them. If only this relay sees it: DNS, proxy, " +
      "firewall, `COLLECTION_API_URL`. Try `invoice-relay doctor`.",
  },
  source_paused: {
    severity: "critical",
    title: ["the provider refuses the key", "sources whose key the provider refuses"],
    about: "upstream",
    means: "The provider refuses the key (401 or 403), and refuses it for an invoice that nobody has, too.",
    ends: "when the key is taken: it is tried at least every minute.",
    action:
      "Check COLLECTION_API_KEY, and whether the provider allows this address; asking resumes " +
      "automatically.",
    todo:
      "Ask the provider whether the key was replaced or this address is blocked. Set `COLLECTION_API_KEY` " +
      "(or the source's entry in `SOURCES_FILE`) and restart. All goes on by itself once the key is taken.",
  },
  pause_standing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["a pause by hand stays", "pauses by hand stay"],
    about: "upstream",
    means:
      "A person paused a source or topic without an end: payments wait for their events for as long as it " +
      "lasts. A refusal by the provider or SNS is told by " +
      "[source_paused](#source_paused) and [topic_paused](#topic_paused).",
    ends: "with `invoice-relay resume`, a new pause, or the pause's end.",
    action: "Once the reason is gone, resume it.",
    // The alarm of a topic names no source.
    remedy: ({ source }) => ({
      operation: "resume",
      args: source === "" ? { work: "publish" } : { work: "confirm", source },
    }),
    todo:
      "`invoice-relay status` says who paused it, why and since when. `invoice-relay resume confirm` or " +
      "`resume publish`, unless it is meant; then `invoice-relay alarms snooze pause_standing --for 2h`. Pause " +
      "with `--for 2h` next time.",
  },
  retry_after_capped: {
    severity: "warning",
    title: [
      "an upstream asks to wait longer than 15 minutes",
      "upstreams ask to wait longer than 15 minutes",
    ],
    about: "upstream",
    means:
      "The provider or SNS asked to wait longer than 15 minutes (`Retry-After`). It is asked after 15 " +
      "minutes all the same.",
    ends: "with the first answer after that, or `invoice-relay resume`.",
    action: "Ask the upstream why it demands such a long wait; it is retried automatically.",
    todo:
      "Ask why. A rate limit: set `CONFIRM_RATE_PER_SECOND` below it. `invoice-relay resume confirm` goes " +
      "on at once, if they agree.",
  },
  unknown_ids_flooding: {
    severity: "warning",
    title: ["a flood of unknown ids", "floods of unknown ids"],
    about: "upstream",
    means:
      'Most of the last hundred answers about ids that nobody knew were "not found": such ids are asked about ' +
      "at `UNKNOWN_RATE_PER_SECOND`, known ones before them. A genuine one is found by the next sweep, within " +
      "`RECONCILE_INTERVAL`.",
    ends: 'when ten minutes brought no "not found".',
    quietAfter: "10 minutes",
    action:
      "Someone sends made-up ids: block the address in front of the relay, or rotate the callback token.",
    todo:
      "Somebody invents ids, or this relay asks the wrong account. Look at `remote_address` of the newest " +
      "callbacks; [rotate the callback token](#rotate-secrets) if it leaked; check that key and callback " +
      "URLs belong to one account.",
  },
  topic_failing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["SNS fails", "topics that SNS fails on"],
    about: "upstream",
    means: "SNS fails again and again (throttling, 5xx, time-outs). Events wait and are sent by themselves.",
    ends: "with the first answer.",
    action: "Check the health and quotas of SNS; events are sent again automatically.",
    todo:
      "AWS' health page, the account's quotas, the network. If it is throttling, ask AWS for a higher " +
      "quota.",
  },
  topic_paused: {
    severity: "critical",
    title: ["SNS refuses the topic", "topics that SNS refuses"],
    about: "upstream",
    means: "SNS refuses the topic: no credentials, no right, or no such topic.",
    ends: "when SNS takes the topic: it is tried every 30 s at the latest.",
    action: "Check the topic, AWS_REGION and the credentials; sending resumes automatically.",
    todo:
      "Does the topic exist in `AWS_REGION`? May the role `sns:Publish` to it, and use its KMS key? " +
      "`invoice-relay doctor` says. It goes on by itself.",
  },
} as const satisfies Record<string, AlarmDefinition>;
