import type { AlarmDefinition } from "../alarm-definition.ts";

export const ALARMS_OF_UPSTREAMS = {
  source_failing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["the provider fails", "sources whose provider fails"],
    about: "upstream",
    means:
      "The provider fails repeatedly (time-outs, 5xx, broken responses), or returned 429 without " +
      "`Retry-After` five times in a row. The circuit breaker is open. It tries again after 10 s at " +
      "most, after a 429 every 30 s.",
    ends: "with the first response; if only lists were slowed down, with the first page that is read.",
    action: "Ask the provider whether it is up; confirmations are retried automatically.",
    todo:
      "Wait, and notify the provider. If only this relay is affected, check DNS, proxy, firewall and " +
      "`COLLECTION_API_URL`, and run `invoice-relay doctor`.",
  },
  source_paused: {
    severity: "critical",
    title: ["the provider refuses the key", "sources whose key the provider refuses"],
    about: "upstream",
    means: "The provider refuses the key (401 or 403), even for an id that no invoice has.",
    ends: "when the provider accepts the key; the relay tries it at least every minute.",
    action:
      "Check COLLECTION_API_KEY, and whether the provider allows this address; asking resumes " +
      "automatically.",
    todo:
      "Did the provider replace the key, or block this address? Set `COLLECTION_API_KEY` (or the " +
      "source's entry in `SOURCES_FILE`) and restart. Work continues by itself once the key is " +
      "accepted.",
  },
  pause_standing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["a pause by hand stays", "pauses by hand stay"],
    about: "upstream",
    means:
      "A person paused a source or topic: payments wait for their events for as long as it " +
      "lasts. A refusal by the provider or SNS is reported by " +
      "[source_paused](#source_paused) and [topic_paused](#topic_paused).",
    ends: "with `invoice-relay resume`.",
    action: "Once the reason is gone, resume it.",
    // The alarm of a topic names no source.
    remedy: ({ source }) => ({
      operation: "resume",
      args: source === "" ? { work: "publish" } : { work: "confirm", source },
    }),
    todo:
      "`invoice-relay status` says who paused it, why and since when. `invoice-relay resume confirm` or " +
      "`resume publish`, unless it is meant.",
  },
  retry_after_capped: {
    severity: "warning",
    title: [
      "an upstream asks to wait longer than 15 minutes",
      "upstreams ask to wait longer than 15 minutes",
    ],
    about: "upstream",
    means:
      "The provider or SNS asked for a wait longer than 15 minutes (`Retry-After`). The relay tries " +
      "again after 15 minutes.",
    ends: "with the first response after that, or with `invoice-relay resume`.",
    action: "Ask the upstream why it demands such a long wait; it is retried automatically.",
    todo:
      "Find out why. For a rate limit set `CONFIRM_RATE_PER_SECOND` below it. If the upstream agrees, " +
      "`invoice-relay resume confirm` continues at once.",
  },
  unknown_ids_flooding: {
    severity: "warning",
    title: ["a flood of unknown ids", "floods of unknown ids"],
    about: "upstream",
    means:
      'Most of the last hundred responses about unknown ids were "not found". The relay limits unknown ' +
      "ids to `UNKNOWN_RATE_PER_SECOND` and requests known invoices first. The next sweep, within " +
      "`RECONCILE_INTERVAL`, finds a genuine payment among them.",
    ends: 'after ten minutes without a "not found".',
    quietAfter: "10 minutes",
    action:
      "Someone sends made-up ids: block the address in front of the relay, or rotate the callback token.",
    todo:
      "An attacker invents ids, or this relay uses the wrong account. Check `remote_address` of the " +
      "newest callbacks, and [rotate the callback token](#rotate-secrets) if it leaked. Check that key " +
      "and callback URLs belong to the same account.",
  },
  topic_failing: {
    severity: "warning",
    criticalAfterMinutes: 10,
    title: ["SNS fails", "topics that SNS fails on"],
    about: "upstream",
    means:
      "SNS fails repeatedly (throttling, 5xx, time-outs). Events wait, and the relay sends them by " +
      "itself.",
    ends: "with the first response.",
    action: "Check the health and quotas of SNS; events are sent again automatically.",
    todo:
      "Check AWS' health page, the account's quotas and the network. If SNS throttles, request a " +
      "higher quota.",
  },
  topic_paused: {
    severity: "critical",
    title: ["SNS refuses the topic", "topics that SNS refuses"],
    about: "upstream",
    means: "SNS refuses the topic: missing credentials, a missing right, or a missing topic.",
    ends: "when SNS accepts the topic; the relay tries every 30 s at the latest.",
    action: "Check the topic, AWS_REGION and the credentials; sending resumes automatically.",
    todo:
      "Does the topic exist in `AWS_REGION`? May the role `sns:Publish` to it, and use its KMS key? " +
      "Run `invoice-relay doctor`. Work continues by itself.",
  },
} as const satisfies Record<string, AlarmDefinition>;
