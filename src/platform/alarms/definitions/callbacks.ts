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
      "Postgres has not answered a process for 5 s. Callbacks are answered 503 with `Retry-After`. Each " +
      "process notifies people from memory; the alarm's row is written when it is over. A process that ends " +
      "while Postgres is away leaves no row: nobody is notified that it is over. A process that starts " +
      "meanwhile waits for it; a wrong password, a schema that is behind or a pooler that does not keep " +
      "sessions end it instead.",
    ends: "as soon as Postgres answers, also while the process stops.",
    action: "Look at Postgres; once it is back after a long outage, reconcile those days.",
    remedy: () => RECONCILE,
    todo:
      "Look at Postgres first: is it up, is a failover under way, is the disk full, are all connections " +
      "taken (`select count(*) from pg_stat_activity`), did its password change? Everything goes on by " +
      "itself once it answers. If it was away for long, run `invoice-relay reconcile --from <day>`: the " +
      "provider may have given up sending.",
  },
  recording_failing: {
    severity: "critical",
    title: ["callbacks cannot be recorded", "processes cannot record callbacks"],
    about: "database",
    means:
      "For 5 s no callback could be recorded, though Postgres answers: its disk is full, it is read-only (a " +
      "standby after a failover), a lock or a synchronous standby holds commits up, a privilege is missing. " +
      "The alarm, `/readyz` (503), `invoice-relay status` and the webhook say so, with the reason. " +
      "Callbacks are answered 503 with `Retry-After`; the newest that failed is tried again each second. " +
      "The row is written when it is over, as that of [database_away](#database_away).",
    ends: "with the first commit of a callback; if none failed, as soon as Postgres would take one.",
    action:
      "Do what its detail says; once callbacks are recorded again after a long outage, reconcile those days.",
    remedy: () => RECONCILE,
    todo:
      "What the alarm's detail says: free space on Postgres' disk or enlarge it, point `DATABASE_URL` at " +
      "the primary, end read-only mode, find who holds the lock (`pg_locks`). Nothing need be restarted. If " +
      "it lasted long, run `invoice-relay reconcile --from <day>`: the provider may have given up sending.",
  },
  callback_refused: {
    severity: "warning",
    title: ["callbacks fail a configured check", "sources refuse callbacks that fail a check"],
    about: "refused_callbacks",
    means:
      "Callbacks with a right token fail a check of their source (HMAC, header token, signature, address). " +
      "They are kept as refused and ask nothing.",
    ends: "an hour after the last one.",
    quietAfter: "1 hour",
    action:
      "Compare CALLBACK_… with what the provider sends; if they were genuine, read them again once that is right.",
    remedy: () => READ_REFUSED,
    todo:
      "Did the provider change its secret or addresses, or did somebody change `CALLBACK_…`? Does a CDN or proxy " +
      "strip the header (`header_missing`)? Set them " +
      "right, then `invoice-relay replay callbacks --refused --dry-run`, then without `--dry-run`: the " +
      "checks are not repeated, the provider says what is paid. If nothing changed, somebody forges " +
      "callbacks with a leaked token: [rotate it](#rotate-secrets). Reconciliation finds what is genuine " +
      "meanwhile.",
  },
} as const satisfies Record<string, AlarmDefinition>;
