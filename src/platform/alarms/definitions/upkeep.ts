import type { Remedy } from "../../errors/index.ts";
import type { AlarmDefinition } from "../alarm-definition.ts";

const DOCTOR: Remedy = { operation: "doctor", args: {} };

export const ALARMS_OF_UPKEEP = {
  sweep_failing: {
    severity: "critical",
    title: ["a list of the provider cannot be read", "lists of the provider cannot be read"],
    about: "collection",
    means:
      "The relay could not read the provider's list of a collection three times in a row, or the list " +
      "contradicts itself. Payments without a callback are not found meanwhile. The alarm is not " +
      "raised while [source_failing](#source_failing) or [source_paused](#source_paused) is open. A " +
      "paid invoice whose collection cannot be named waits, with [invoice_anomaly](#invoice_anomaly).",
    ends: "when the list is read again, or leaves `COLLECTION_IDS`.",
    action: "Nothing is reconciled meanwhile: read the error; it is retried automatically.",
    remedy: () => DOCTOR,
    todo:
      "The detail names the cause: a wrong id in `COLLECTION_IDS`, or a failing provider. Try " +
      "`invoice-relay api get-collection <id>`. The relay retries by itself.",
  },
  sweep_late: {
    severity: "warning",
    title: ["a list of the provider was not read for long", "lists of the provider were not read for long"],
    about: "collection",
    means:
      "The list of a collection was not read to its end for three times `RECONCILE_INTERVAL` and ten " +
      "minutes. Payments without a callback are not found meanwhile. The alarm is not raised while " +
      "[sweep_failing](#sweep_failing) is open, or while the source is paused or backs off.",
    ends: "within a minute after the list was read, or once it leaves `COLLECTION_IDS`.",
    action: "Check that the relay runs with workers, and what its log says about the sweep.",
    remedy: () => DOCTOR,
    todo:
      "`invoice-relay status` shows the time of the last reading, and the processes. Do workers run? " +
      "Is the list so long that one reading takes longer than this? Then the last log line about it " +
      "shows the progress.",
  },
  certificate_gap: {
    severity: "critical",
    title: ["the newest certificate leaves days unproven", "sources with days that no certificate proves"],
    about: "certificate",
    means:
      "A certificate is not equal, or the daily certificate was refused: a payment may have no event. " +
      "For each day the newest certificate decides, daily or by hand.",
    ends:
      "once every day of the source is proven: by the next equal daily certificate, an hour after " +
      "midnight in `BOOKS_TIME_ZONE`, by an equal one made by hand, or when a person closes it. Each " +
      "daily certificate covers the days of the one before until one is equal.",
    action: "Read what is missing, reconcile those days, then certify them again.",
    remedy: () => ({ operation: "listCertificates", args: {} }),
    todo:
      "`invoice-relay certificate list` and `certificate show <id>` name each difference; " +
      "`invoice-relay invoice <id>` shows its history. `invoice-relay reconcile` confirms missing " +
      "payments, and `invoice-relay replay events --from … --to …` sends events again. Then run " +
      "`invoice-relay certify` for the same days. If a difference has no remedy, such as an amount " +
      "that the provider changed, close the alarm in the console with a reason. Once the day is older " +
      "than `RECONCILE_LOOKBACK`, daily certificates leave it out.",
  },
  certificate_failing: {
    severity: "critical",
    title: ["the daily certificate fails", "daily certificates fail"],
    about: "certificate",
    means:
      "The daily certificate failed three times in a row or more, so missing events would stay " +
      "unknown. Payments continue. The alarm is not raised while the source's own alarm is open.",
    ends: "with the next certificate, green or not.",
    action: "It is unknown whether anything is missing: read the detail; it is retried automatically.",
    remedy: () => DOCTOR,
    todo:
      "The detail names the cause, usually the provider's list. Try `invoice-relay certify --from " +
      "<day> --to <day>` and `invoice-relay doctor`. The relay retries by itself, every hour at least.",
  },
  certificate_late: {
    severity: "warning",
    title: ["the daily certificate is missing", "daily certificates are missing"],
    about: "certificate",
    means:
      "The daily certificate of the source is missing six hours into the day, so missing events of " +
      "yesterday would stay unknown. The alarm is not raised while " +
      "[certificate_failing](#certificate_failing) is open.",
    ends: "within a minute after a certificate was made.",
    action: "Check that the relay runs with workers, and what its log says about certify.",
    remedy: () => DOCTOR,
    todo:
      "Do workers run (on Lambda: does the schedule of `certify` run)? `invoice-relay certify --from " +
      "<day> --to <day>` makes a certificate by hand, and shows the obstacle.",
  },
  replay_failed: {
    severity: "warning",
    title: ["a replay failed", "replays failed"],
    about: "replay",
    means: "A replay stopped with an error, or its topic refuses it.",
    ends: "when it is resumed or cancelled.",
    action: "Read the reason, then resume it.",
    remedy: ({ subject }) => ({ operation: "showReplay", args: { id: subject } }),
    listedBy: { operation: "listReplays", args: {} },
    todo:
      "The detail names the replay. Remove the cause, then resume or cancel it; see `invoice-relay " +
      "replay --help`.",
  },
  maintenance_failing: {
    severity: "warning",
    title: ["maintenance fails", "kinds of maintenance fail"],
    about: "chore",
    means:
      "Maintenance fails in every process; the detail names the cause. Payments continue, but old rows " +
      "fill the disk in the end. The alarm is raised after a day for `old_callbacks`, " +
      "`unknown_ids`, `personal_data`, `history` (`RETENTION`, " +
      "`PERSONAL_DATA_RETENTION`) and `partitions` (the log's next months), and after 15 minutes for " +
      "`held_events`, `late_personal_data` and `quiet_alarms`. " +
      "Each of these runs by itself, so the others continue.",
    ends: "when it works again.",
    action: "Read the error and mend its cause; it is tried again automatically.",
    todo:
      "Remove the cause that the detail names. The relay retries at least every hour; on Lambda old " +
      "rows are dropped once a day, and `invoice-relay retention` drops them at once. " +
      '"Is busy": a session reads the log for hours (`pg_stat_activity`); end it. "Canceling ' +
      'statement due to statement timeout": too many rows would move. For `partitions` run ' +
      "`invoice-relay migrate` at a quiet hour (callbacks get 503 meanwhile). If an " +
      "invoice could not be blanked, the detail names it: `invoice-relay erase <id>`.",
  },
  webhook_failing: {
    severity: "warning",
    title: ["people are not notified of alarms", "people are not notified of alarms"],
    about: "webhook",
    means:
      "`ALARM_WEBHOOK_URL` did not accept three messages in a row or more, so people get no message " +
      "about open alarms.",
    ends: "with the next accepted message, or 15 minutes after the last attempt.",
    quietAfter: "15 minutes",
    action: "Read what it answers, and send it a test.",
    remedy: () => ({ operation: "testAlarms", args: {} }),
    todo:
      "The detail shows the response; `invoice-relay alarms test` sends a test message. Was the URL " +
      "revoked, is `ALARM_WEBHOOK_FORMAT` right, does a proxy block it? Alarms wait, and are sent once " +
      "it works.",
  },
} as const satisfies Record<string, AlarmDefinition>;
