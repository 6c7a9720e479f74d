import type { AlarmDefinition } from "../alarm-definition.ts";

/** What stops all work. */
export const ALARMS_OF_PROCESSES = {
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
      "Start the relay again with the same settings (on Lambda: check its schedules), and read its log. Open " +
      "work is resumed automatically.",
    todo:
      "Start the process again, or one with the same settings, and read the log of the one that died: killed for " +
      "want of memory, a bug (`fatal`), a host that is gone. Nothing is lost: what was recorded goes on by itself; " +
      "for callbacks that nobody took, run `invoice-relay reconcile --from <day>` if it lasted long.",
  },
  work_failing: {
    severity: "critical",
    title: ["work fails again and again", "kinds of work fail again and again"],
    about: "work",
    means:
      "Work of a process has only failed for twice `LEASE_DURATION`, though Postgres answers: a lock, a disk that is full " +
      "for one table, a right that is missing. The subject names the work; whichever process works raises it.",
    ends: "as soon as it works again.",
    action: "Do what its detail says; the work goes on by itself then.",
    todo:
      "The detail says what Postgres answered. A lock: who holds it (`pg_locks`, `pg_stat_activity`)? A full disk: free " +
      "space or enlarge it. A right: [the roles](#database-roles). Nothing need be restarted.",
  },
  payments_waiting: {
    severity: "warning",
    criticalAfterMinutes: 9,
    title: ["payments wait for their events", "sources whose payments wait for their events"],
    about: "backlog",
    means:
      "For a minute an invoice of the source has had no answer of the provider, or an event has not been sent, and no " +
      "alarm of the source or the topic is open: workers that hang or are too few, a slow provider. Or they have waited " +
      "for ten minutes, whatever the reason: faults that come and go, a pause with an end. It is not raised while " +
      "another critical alarm says why, nor of a [flood of unknown ids](#unknown_ids_flooding), nor of an invoice that " +
      "[alone gets no answer](#invoice_unanswered).",
    ends: "once nothing has waited for so long, noticed within a minute.",
    action:
      "See what is paused or failing, whether the relay runs with workers, and its log. Nothing is lost: what waits " +
      "is asked and sent as soon as it can be.",
    todo:
      "`invoice-relay status` says what waits, how long, and what is paused or failing. Nothing is: do workers run, and " +
      "what does their log say? Do statements wait for locks (`pg_stat_activity`)? Is the provider slow " +
      "(`invoice_relay_provider_seconds`)? Then raise `CONFIRM_CONCURRENCY`, or `CONFIRM_RATE_PER_SECOND` if it is set.",
  },
} as const satisfies Record<string, AlarmDefinition>;
