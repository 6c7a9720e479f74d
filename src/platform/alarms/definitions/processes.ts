import type { AlarmDefinition } from "../alarm-definition.ts";

/** Faults that stop all work. */
export const ALARMS_OF_PROCESSES = {
  silent_process: {
    severity: "critical",
    title: ["a process is silent, and no other does its work", "silent processes whose work no other does"],
    about: "process",
    means:
      "A process ended without notice or hangs, and no live process does its work: confirm and publish " +
      "(subject `workers`), receive callbacks (`http`), or serve its sources (the host). Any live " +
      "process raises it after three heartbeats (15 s; on Lambda three minutes). If every process is " +
      "gone, only [InvoiceRelayDown](#invoicerelaydown) shows it.",
    ends: "when another process does its work, noticed by a process that confirms and publishes.",
    action:
      "Start the relay again with the same settings (on Lambda: check its schedules), and read its log. Open " +
      "work is resumed automatically.",
    todo:
      "Start a process with the same settings, and read the log of the dead one: killed for lack of " +
      "memory, a bug (`fatal`), a lost host. Recorded work continues by itself. After a long outage " +
      "run `invoice-relay reconcile --from <day>` for callbacks that were not received.",
  },
  work_failing: {
    severity: "critical",
    title: ["work fails again and again", "kinds of work fail again and again"],
    about: "work",
    means:
      "Work of a process has only failed for twice `LEASE_DURATION`, although Postgres responds: a " +
      "lock, a disk that is full for one table, a missing right. The subject names the work; any " +
      "process that works raises the alarm.",
    ends: "as soon as the work succeeds.",
    action: "Do what its detail says; the work goes on by itself then.",
    todo:
      "The detail shows Postgres' message. For a lock find its owner (`pg_locks`, `pg_stat_activity`). " +
      "For a full disk free or add space. For a missing right connect as the owner of the tables. " +
      "No restart is necessary.",
  },
  payments_waiting: {
    severity: "warning",
    criticalAfterMinutes: 9,
    title: ["payments wait for their events", "sources whose payments wait for their events"],
    about: "backlog",
    means:
      "For a minute an invoice of the source has had no response, or an event was not sent, and no " +
      "alarm of the source or the topic is open: workers hang or are too few, or the provider is slow. " +
      "Or they have waited for ten minutes for any reason: faults that come and go, a pause with an " +
      "end. The alarm is not raised while another critical alarm gives the reason, for a [flood of " +
      "unknown ids](#unknown_ids_flooding), or for an [invoice without a usable " +
      "response](#invoice_unanswered).",
    ends: "once nothing has waited for so long, noticed within a minute.",
    action:
      "See what is paused or failing, whether the relay runs with workers, and its log. Nothing is lost: what waits " +
      "is asked and sent as soon as it can be.",
    todo:
      "`invoice-relay status` shows how long work waits, and each paused or failing upstream. " +
      "Otherwise: do workers run, and which errors are in their log? Do statements wait for locks " +
      "(`pg_stat_activity`)? Is the provider slow (`invoice_relay_provider_seconds`)? Then raise " +
      "`CONFIRM_CONCURRENCY`, or `CONFIRM_RATE_PER_SECOND` if it is set.",
  },
} as const satisfies Record<string, AlarmDefinition>;
