import type { Remedy } from "../../errors/index.ts";
import type { AlarmDefinition } from "../alarm-definition.ts";

const RECONCILE: Remedy = { operation: "reconcile", args: {} };
const READ_REFUSED: Remedy = {
  operation: "startReplay",
  args: { kind: "callbacks", filters: { refused: true } },
};

export const ALARMS_OF_CALLBACKS = {
  database_away: {
    severity: "critical",
    title: ["Postgres does not answer", "processes without Postgres"],
    about: "database",
    means:
      "Postgres has not responded to a process for 5 s. Callbacks get 503 with `Retry-After`. Each " +
      "process notifies people from memory, and writes the alarm's row once Postgres responds. If the " +
      "process ends earlier, it writes no row, and people get no message about the end. A starting " +
      "process waits for Postgres, but a wrong password or an old schema ends it.",
    ends: "as soon as Postgres responds, also while the process stops.",
    action: "Look at Postgres; once it is back after a long outage, reconcile those days.",
    remedy: () => RECONCILE,
    todo:
      "Check Postgres: is it up, is a failover in progress, is the disk full, are all connections in " +
      "use (`select count(*) from pg_stat_activity`), did its password change? Work continues by " +
      "itself once Postgres responds. After a long outage run `invoice-relay reconcile --from <day>`, " +
      "because the provider may have stopped its retries.",
  },
  recording_failing: {
    severity: "critical",
    title: ["callbacks cannot be recorded", "processes cannot record callbacks"],
    about: "database",
    means:
      "For 5 s no callback could be recorded, although Postgres responds: its disk is full, it is " +
      "read-only (a standby after a failover), a lock or a synchronous standby blocks commits, or a " +
      "right is missing. The alarm, `/readyz` (503), `invoice-relay status` and the webhook give the " +
      "reason. Callbacks get 503 with `Retry-After`. The relay retries the newest failed callback each " +
      "second, and writes the alarm's row at the end, as for [database_away](#database_away).",
    ends:
      "with the first commit of a callback; without a failed callback, as soon as Postgres would " +
      "accept one.",
    action:
      "Do what its detail says; once callbacks are recorded again after a long outage, reconcile those days.",
    remedy: () => RECONCILE,
    todo:
      "Follow the alarm's detail: free or add disk space, point `DATABASE_URL` at the primary, end " +
      "read-only mode, or find the owner of the lock (`pg_locks`). No restart is necessary. After a " +
      "long outage run `invoice-relay reconcile --from <day>`, because the provider may have stopped " +
      "its retries.",
  },
  callback_refused: {
    severity: "warning",
    title: ["callbacks fail a configured check", "sources refuse callbacks that fail a check"],
    about: "refused_callbacks",
    means:
      "Callbacks with a valid token fail a check of their source (HMAC, header token, signature, " +
      "address). The log keeps them as refused, and they open no confirmation.",
    ends: "an hour after the last one.",
    quietAfter: "1 hour",
    action:
      "Compare CALLBACK_… with what the provider sends; if they were genuine, read them again once that is right.",
    remedy: () => READ_REFUSED,
    todo:
      "Did the provider change its secret or addresses, or did a person change `CALLBACK_…`? Does a " +
      "CDN or proxy remove the header (`header_missing`)? Correct the setting, then run `invoice-relay " +
      "replay callbacks --refused --dry-run`, then without `--dry-run`. The replay repeats no check: " +
      "the provider says which invoices are paid. If no setting changed, an attacker has a leaked " +
      "token: [rotate it](#rotate-secrets). Reconciliation finds the genuine payments meanwhile.",
  },
} as const satisfies Record<string, AlarmDefinition>;
