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
    action:
      "Nothing is reconciled meanwhile: read the error and run invoice-relay doctor; it is retried " +
      "automatically.",
    todo:
      "The detail says why. A wrong id in `COLLECTION_IDS`, or a provider that fails: try `invoice-relay " +
      "api get-collection <id>`. It is retried automatically.",
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
    action:
      "Run the invoice-relay certify of its detail, which names what is missing, then invoice-relay reconcile.",
    todo:
      "Run the `invoice-relay certify …` of the detail; it names each difference. `invoice-relay invoice " +
      "<id>` tells its story; `invoice-relay reconcile` asks for what is missing, `invoice-relay replay " +
      "events --from … --to …` has the relay send again. The same `certify` then shows that nothing is missing. Where nothing can be mended, such as an amount " +
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
    action:
      "It is unknown whether anything is missing: read the detail and run invoice-relay doctor; it is " +
      "retried automatically.",
    todo:
      "The detail says why: most often the provider's list fails. Try `invoice-relay certify --from <day> " +
      "--to <day>` and `invoice-relay doctor`. It is tried again by itself, every hour at least.",
  },
  replay_failed: {
    severity: "warning",
    title: ["a replay failed", "replays failed"],
    about: "replay",
    means: "A replay stopped with an error, or its own topic refuses it.",
    ends: "when it is resumed or cancelled.",
    action: "Read the reason with invoice-relay replay show <id>, then run invoice-relay replay resume <id>.",
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
    action:
      "Read the error and mend its cause; it is tried again automatically. Where old rows stay, run " +
      "invoice-relay retention then.",
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
  silent_process: {
    severity: "critical",
    title: ["a process is silent, and no other does its work", "silent processes whose work no other does"],
    about: "process",
    means:
      "A process ended without a word, or hangs, and none that lives does what it did: confirm and publish " +
      "(subject `workers`), take callbacks (`http`), or serve its sources (the host). Whichever process lives raises " +
      "it, after three beats (15 s; on Lambda three minutes), and tells people. With none left nobody can: that is " +
      "[InvoiceRelayDown](#invoicerelaydown).",
    ends: "when another does its work again, noticed by a process that confirms and publishes.",
    action:
      "Start invoice-relay serve again with the same settings (on Lambda: check its schedules), and read its " +
      "log. Open work is resumed automatically.",
    todo:
      "Start the process again, or one with the same settings, and read the log of the one that died: killed for " +
      "want of memory, a bug (`fatal`), a host that is gone. Nothing is lost: what was recorded goes on by itself; " +
      "for callbacks that nobody took, run `invoice-relay reconcile --from <day>` if it lasted long.",
  },
  payments_waiting: {
    severity: "critical",
    title: [
      "payments wait too long for their events",
      "sources whose payments wait too long for their events",
    ],
    about: "backlog",
    means:
      "For ten minutes an invoice of the source has had no answer of the provider, or an event has not been sent, " +
      "whatever the reason: a slow provider, faults that come and go, a pause by hand, workers that hang or are too few; " +
      "or for seconds, while asking, sending or taking over leases has only failed for twice `LEASE_DURATION`, such as " +
      "for a lock in Postgres or a disk that is full for one table. It is not raised while another critical alarm says why, nor of a " +
      "[flood of unknown ids](#unknown_ids_flooding), nor of an invoice that [alone gets no " +
      "answer](#invoice_unanswered).",
    ends: "once nothing has waited for so long, noticed within a minute.",
    action:
      "See what invoice-relay status says is paused or failing, whether serve runs with workers, and its log. Nothing " +
      "is lost: what waits is asked and sent as soon as it can be.",
    todo:
      "`invoice-relay status` says what waits, how long, and what is paused or failing, or why work only fails. Nothing is: do workers run, and " +
      "what does their log say? Do statements wait for locks (`pg_stat_activity`)? Is the provider slow " +
      "(`invoice_relay_provider_seconds`)? Then raise `CONFIRM_CONCURRENCY`, or `CONFIRM_RATE_PER_SECOND` if it is set.",
  },
} as const;
