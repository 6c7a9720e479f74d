import type { Remedy } from "../../errors/index.ts";
import type { AlarmDefinition } from "../alarm-definition.ts";

const DOCTOR: Remedy = { operation: "doctor", args: {} };

export const ALARMS_OF_UPKEEP = {
  sweep_failing: {
    severity: "critical",
    title: ["a list of the provider cannot be read", "lists of the provider cannot be read"],
    about: "collection",
    means:
      "The provider's list of a collection could not be read three times in a row, or contradicts itself " +
      "however it is read: a payment without a callback is not found meanwhile. It is not raised while " +
      "[source_failing](#source_failing) or [source_paused](#source_paused) tells of the same. A paid invoice " +
      "whose collection cannot be named waits, with [invoice_anomaly](#invoice_anomaly).",
    ends: "when the list is read again, or is named in `COLLECTION_IDS` no longer.",
    action: "Nothing is reconciled meanwhile: read the error; it is retried automatically.",
    remedy: () => DOCTOR,
    todo:
      "The detail says why. A wrong id in `COLLECTION_IDS`, or a provider that fails: try `invoice-relay " +
      "api get-collection <id>`. It is retried automatically.",
  },
  sweep_late: {
    severity: "warning",
    title: ["a list of the provider was not read for long", "lists of the provider were not read for long"],
    about: "collection",
    means:
      "The list of a collection has not been read to its end for three times `RECONCILE_INTERVAL` and ten minutes: " +
      "a payment without a callback is not found meanwhile. It is not raised while " +
      "[sweep_failing](#sweep_failing) tells of the same, nor while the source is paused or backs off.",
    ends: "within a minute after the list was read, or once it is named in `COLLECTION_IDS` no longer.",
    action: "Check that the relay runs with workers, and what its log says about the sweep.",
    remedy: () => DOCTOR,
    todo:
      "`invoice-relay status` says when it was last read, and which processes run. Do workers run? Is the list so long " +
      "that one reading takes longer than this? Then the log's last line about it says how far it is.",
  },
  certificate_gap: {
    severity: "critical",
    title: ["the last certificate is not equal", "sources whose last certificate is not equal"],
    about: "certificate",
    means:
      "A certificate is not equal, or the daily one was refused: a payment may have no event, or nobody could " +
      "show that it has. The newest certificate that covers a day decides, made daily or by hand.",
    ends:
      "once no day of the source is unproven: with the next equal daily certificate, an hour after midnight in " +
      "the zone of the books, with an equal one made by hand, or when a person closes it. Each daily one covers " +
      "the days of the one before until one is equal, however old the gap.",
    action: "Read what is missing, reconcile those days, then certify them again.",
    remedy: () => ({ operation: "listCertificates", args: {} }),
    todo:
      "`invoice-relay certificate show <id>`, of `certificate list`, names each difference. `invoice-relay invoice " +
      "<id>` tells its story; `invoice-relay reconcile` asks for what is missing, `invoice-relay replay " +
      "events --from … --to …` has the relay send again. `invoice-relay certify` of the same days then shows that nothing is missing. Where nothing can be mended, such as an amount " +
      "that the provider changed, close the alarm in the console, with the reason, which is audited: once " +
      "the day is older than `RECONCILE_LOOKBACK`, the next daily one leaves it out.",
  },
  certificate_failing: {
    severity: "critical",
    title: ["the daily certificate fails", "daily certificates fail"],
    about: "certificate",
    means:
      "The daily certificate could not be made, three times in a row or more: nobody knows whether a " +
      "payment has no event. Payments themselves go on. It is not raised while the source's own alarm tells of the " +
      "same.",
    ends: "with the next one that is made, whatever its result.",
    action: "It is unknown whether anything is missing: read the detail; it is retried automatically.",
    remedy: () => DOCTOR,
    todo:
      "The detail says why: most often the provider's list fails. Try `invoice-relay certify --from <day> " +
      "--to <day>` and `invoice-relay doctor`. It is tried again by itself, every hour at least.",
  },
  certificate_late: {
    severity: "warning",
    title: ["the daily certificate is missing", "daily certificates are missing"],
    about: "certificate",
    means:
      "Six hours into the day the daily certificate of the source is not there: nobody knows whether a payment " +
      "of yesterday has no event. It is not raised while [certificate_failing](#certificate_failing) tells of the same.",
    ends: "within a minute after one was made.",
    action: "Check that the relay runs with workers, and what its log says about certify.",
    remedy: () => DOCTOR,
    todo:
      "Do workers run (on Lambda: does the schedule of `certify`)? `invoice-relay certify --from <day> --to <day>` makes " +
      "one by hand, which shows what keeps it.",
  },
  replay_failed: {
    severity: "warning",
    title: ["a replay failed", "replays failed"],
    about: "replay",
    means: "A replay stopped with an error, or its own topic refuses it.",
    ends: "when it is resumed or cancelled.",
    action: "Read the reason, then resume it.",
    remedy: ({ subject }) => ({ operation: "showReplay", args: { id: subject } }),
    listedBy: { operation: "listReplays", args: {} },
    todo:
      "The detail names the replay. Mend the reason, then resume it, or cancel it; both are in " +
      "`invoice-relay replay --help`.",
  },
  maintenance_failing: {
    severity: "warning",
    title: ["maintenance fails", "kinds of maintenance fail"],
    about: "chore",
    means:
      "Maintenance fails, whichever process tries, and the detail says why. Payments go on, but what it does " +
      "stays undone: old rows fill the disk in the end. It is raised after a day for `old_callbacks`, `kept_callbacks`, " +
      "`unknown_ids`, `personal_data`, `history` (`RETENTION`, " +
      "`PERSONAL_DATA_RETENTION`) and `partitions` (the log's next months), after 15 minutes for the small " +
      "chores `held_events`, `settled_statuses`, `ended_pauses`, `late_personal_data` and " +
      "`quiet_alarms`. Each is done by itself, so the others go on.",
    ends: "when it works again.",
    action: "Read the error and mend its cause; it is tried again automatically.",
    todo:
      "Read the detail and mend the cause; it is tried again at least every hour, on Lambda what drops old rows " +
      'once a day: `invoice-relay retention` does that at once. "May not drop it": grant the login the [worker\'s ' +
      'role](#database-roles), or run `retention` as the tables\' owner. "Is busy": something ' +
      'reads the log for hours (`pg_stat_activity`); end it. "Canceling statement due to statement ' +
      'timeout": more rows would have to move than callbacks may wait for. For `partitions`, at a quiet ' +
      "hour, run `invoice-relay migrate`, which takes the time it needs (callbacks are answered 503 " +
      "meanwhile); for `old_callbacks`, dismiss what has been dead or in quarantine for ages, since its " +
      "callbacks are kept. An invoice that could not be blanked is named: `invoice-relay erase <id>`.",
  },
  webhook_failing: {
    severity: "warning",
    title: ["people are not told of alarms", "people are not told of alarms"],
    about: "webhook",
    means:
      "`ALARM_WEBHOOK_URL` has not taken three messages in a row or more: nobody is told of the alarms that are open.",
    ends: "with the next message that is taken, or 15 minutes after the last try where nobody sends any more.",
    quietAfter: "15 minutes",
    action: "Read what it answers, and send it a test.",
    remedy: () => ({ operation: "testAlarms", args: {} }),
    todo:
      "The detail says what it answered; `invoice-relay alarms test` sends a test message. Was the URL revoked, is the " +
      "format right (`ALARM_WEBHOOK_FORMAT`), does a proxy stand between? Alarms wait and are told once it works.",
  },
} as const satisfies Record<string, AlarmDefinition>;
