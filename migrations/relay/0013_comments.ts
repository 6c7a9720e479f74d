import { type Kysely, sql } from "kysely";

/** What each table holds, for whoever meets it with psql. */
const COMMENTS = {
  alarm: "What a person was told, since when, and whether it is over.",
  alarm_telling: "One row: when alarms are told next (ALARM_WEBHOOK_URL), and how often that failed.",
  audit_entry: "Who did what by hand, to what, and why.",
  callback: "The log of callbacks as they came; insert-only but for erasing; a partition for each month.",
  callback_budget: "What addresses and tokens have brought within the last hour.",
  callback_default: "Callbacks for which no partition of their month stood ready.",
  callback_reading: "The ids that a replay found in a callback later.",
  certificate: "Proofs of completeness, made and to be made, with what they found.",
  confirmation:
    "What is to be asked about an invoice, and what came of it: one row for each invoice and source.",
  event: "The log of events exactly as published; insert-only but for erasing.",
  failing_chore: "Maintenance that failed lately, and why.",
  history_entry: "What happened to an invoice and no other row shows any longer.",
  invoice: "The newest confirmed answer about each invoice.",
  invoice_snapshot: "Every other answer that differed, older or replaced.",
  listed_payment: "What the provider's lists show, kept while a certificate compares it.",
  outbox: "Events that are still to be sent; a row is deleted when SNS has accepted it.",
  publication: "Every acceptance by SNS, those of replays included.",
  relay_process: "The processes that run, and what each of them serves.",
  replay: "Replays, their progress and how they ended.",
  replay_refusal: "Events that SNS refused in a replay, and why.",
  source: "The provider's accounts: whether they are asked, since when, and what was refused.",
  sweep: "Looks at the provider's own lists, to find what no callback told.",
  swept_payment: "Payments that a sweep has looked at, and which of them were missing.",
  topic: "The SNS topics: whether they are sent to, and what was refused.",
} as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, comment] of Object.entries(COMMENTS))
    await sql`comment on table ${sql.table(table)} is ${sql.lit(comment)}`.execute(db);
}
