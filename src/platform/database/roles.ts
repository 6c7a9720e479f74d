import { type Kysely, sql } from "kysely";
import { isNotAllowed } from "../errors/index.ts";
import { command, returned, type Slots, Statement } from "./statement.ts";

/**
 * Rights of each role, table by table. `migrate` makes these roles; they cannot log in. Operators grant them to the
 * logins of processes: receiver for taking callbacks, worker for confirming and publishing, both for a plain
 * `serve`, reader for people and reports. The login that runs `migrate` owns the tables.
 */
export const ROLES = {
  receiver: "invoice_relay_receiver",
  worker: "invoice_relay_worker",
  reader: "invoice_relay_reader",
} as const;

export type Role = keyof typeof ROLES;
type Verb = "select" | "insert" | "update" | "delete";
/** A right to a whole table, or to some of its columns: an update right to columns alone cannot lock the table. */
type Right = Verb | `${"insert" | "update"} (${string})`;

/** The columns that erasing writes in the two logs, which are insert-only otherwise. */
const ERASES_CALLBACK: Right =
  "update (erased_at, erased_digest, body, headers, path, query, reference, remote_address)";
const ERASES_EVENT: Right = "update (erased_at, erased_digest, payload)";

/** The columns that opening writes (confirm/queue/open.ts): the receiver decides nothing about an invoice. */
const OPENED =
  "invoice_id, source, callback_id, traceparents, priority, record_only, opened_by, opened_at, " +
  "open_since, requested_at, due_at, state, asked_at, lease_token, claimed_until, erased_at";
const ASKED_AGAIN =
  "requests, callback_id, traceparents, attempt, record_only, open_since, requested_at, due_at, state, priority";
const OPENS: Right[] = [`insert (${OPENED})`, `update (${ASKED_AGAIN})`];

const READS: Right[] = ["select"];
const KEEPS: Right[] = ["select", "insert", "update"];
const ALL: Right[] = ["select", "insert", "update", "delete"];

/** A test compares it with the schema: a new table needs its line. The reader may select everything. */
export const RIGHTS: Readonly<Record<string, { receiver?: Right[]; worker?: Right[] }>> = {
  // The functions below drop partitions for retention.
  callback: { receiver: ["select", "insert"], worker: ["select", "insert", ERASES_CALLBACK] },
  callback_default: { worker: READS },
  confirmation: { receiver: ["select", ...OPENS], worker: ALL },
  erased_invoice: { receiver: READS, worker: KEEPS },
  // The receiver raises alarms and ends none.
  alarm: { receiver: ["select", "insert", "update (times, last_raised_at, detail)"], worker: KEEPS },
  alarm_telling: { worker: ["select", "update"] },
  // serve makes its sources and topics known at its start, also where it only takes callbacks.
  source: {
    receiver: ["select", "insert (name, first_served_at)", "update (first_served_at)"],
    worker: KEEPS,
  },
  topic: { receiver: ["select", "insert (arn)"], worker: KEEPS },
  kysely_migration: { receiver: READS, worker: READS },
  kysely_migration_lock: {},
  invoice: { worker: KEEPS },
  invoice_snapshot: { worker: KEEPS },
  event: { worker: ["select", "insert", ERASES_EVENT] },
  outbox: { worker: ALL },
  publication: { worker: ["select", "insert"] },
  sweep: { worker: ALL },
  certificate: { worker: ALL },
  certified_day: { worker: ALL },
  listed_payment: { worker: ALL },
  listed_collection: { worker: ALL },
  asked_payment: { worker: ALL },
  // The receiver also serves the public keys.
  signing_key: { receiver: READS, worker: KEEPS },
  replay: { worker: KEEPS },
  replay_refusal: { worker: ALL },
  audit_entry: { worker: ["select", "insert"] },
  failing_chore: { worker: ALL },
  history_entry: { worker: ["select", "insert", "delete"] },
  relay_process: { receiver: ALL, worker: ALL },
  // Of the console, which any process may serve.
  ended_session: { receiver: ["select", "insert", "delete"], worker: ["select", "insert", "delete"] },
};

/** The functions that do one thing each with the rights of the tables' owner, and who may call them. */
export const FUNCTION_RIGHTS: Readonly<Record<string, Role[]>> = {
  make_callback_partition: ["worker"],
  drop_callback_partition: ["worker"],
  drop_kept_callbacks: ["worker"],
};

/** Roles belong to the server: another database's migrate may be making it too. */
const createRole = (role: string): string => `
  do $$ begin
    create role ${role} nologin;
  exception when duplicate_object or unique_violation then null;
  end $$`;

/** The statements that give each role its rights, and take away what an earlier version gave. */
function grantStatements(rights = RIGHTS): string[] {
  const all = Object.values(ROLES).join(", ");
  const given = Object.entries(rights).flatMap(([table, { receiver = [], worker = [] }]) => [
    ...(receiver.length > 0 ? [`grant ${receiver.join(", ")} on ${table} to ${ROLES.receiver}`] : []),
    ...(worker.length > 0 ? [`grant ${worker.join(", ")} on ${table} to ${ROLES.worker}`] : []),
  ]);
  return [
    `grant usage on schema public to ${all}`,
    `revoke all on all tables in schema public from ${ROLES.receiver}, ${ROLES.worker}`,
    ...given,
    `revoke all on all functions in schema public from ${ROLES.receiver}, ${ROLES.worker}`,
    ...Object.entries(FUNCTION_RIGHTS).flatMap(([name, roles]) =>
      roles.map((role) => `grant execute on function ${name} to ${ROLES[role]}`),
    ),
    `grant select on all tables in schema public to ${ROLES.reader}`,
    // The partitions to come.
    `alter default privileges in schema public grant select on tables to ${ROLES.reader}`,
    `alter default privileges in schema public revoke select on tables from ${ROLES.worker}`,
  ];
}

/** `no_right_to_create_roles`: the owner lacks CREATEROLE, and the roles were not made for it. */
type RolesState = "granted" | "no_right_to_create_roles";

/**
 * Makes the roles and gives them their rights. Safe to repeat, and at the same time in several databases of a
 * server. Without roles everything works as the tables' owner, so lacking the right to make them is no
 * failure.
 */
export async function grantRoles<Schema>(db: Kysely<Schema>): Promise<RolesState> {
  for (const role of Object.values(ROLES)) {
    try {
      await sql.raw(createRole(role)).execute(db);
    } catch (error) {
      if (!isNotAllowed(error)) throw error;
      if (!(await isThere(db, role))) return "no_right_to_create_roles";
    }
  }
  await db.transaction().execute(async (trx) => {
    // Of two concurrent grants on one table, one would fail.
    await lockRoles(trx);
    for (const statement of grantStatements()) await sql.raw(statement).execute(trx);
  });
  return "granted";
}

const lockRoles = command(() => sql`select pg_advisory_xact_lock(hashtext('invoice-relay roles'))`);

const selectRole = new Statement(
  { there: returned.boolean },
  ({ value }: Slots<string>) =>
    sql`select exists (select from pg_roles where rolname = ${value((role) => role)}) as there`,
);

async function isThere<Schema>(db: Kysely<Schema>, role: string): Promise<boolean> {
  const [row] = await selectRole.execute(db, role);
  return row?.there === true;
}
