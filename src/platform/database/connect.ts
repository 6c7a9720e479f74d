import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Secret } from "../values/index.ts";
import { PreparingClient, RelayClient, SessionPool } from "./sessions.ts";
import type { Tables } from "./tables.ts";

/** What a pool is for, and so how long its statements may take. */
export type Purpose =
  /**
   * What a callback or a payment waits for: a few seconds at most, and rows are only looked up by index.
   * Sequential scans are off, since a plan made while a table was small would go on scanning it however large
   * it grows, until its statistics change. JIT is off as well: before version 18 Postgres puts so high a cost
   * on a disabled scan that it would compile the statement each time.
   */
  | "hot"
  | "work"
  /**
   * Migrations: as long as it takes, since one may rewrite a large table. Postgres ends the session of a process
   * that has ended, which would keep its locks.
   */
  | "migrate";

export interface ConnectOptions {
  purpose?: Purpose;
  /** The most connections of this pool. */
  max?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** How long to wait for a connection, in ms. */
  connectTimeoutMs?: number;
  /** How long one statement may take, in ms, where the purpose does not say it well. */
  statementTimeoutMs?: number;
  /** Prepare no statements: RDS Proxy would pin a session to this client for them. */
  unprepared?: boolean;
  /** The Postgres schema that unqualified names mean, whatever the login's own search path; `public` by default. */
  schema?: string;
  /** Called for connections that break while idle; the pool replaces them by itself. */
  onIdleError?: (error: Error) => void;
}

/** For a statement, for a lock, and for a transaction that sits idle, in ms; 0 for no limit. */
const LIMITS: Record<Purpose, { statementMs: number; lockMs: number; idleMs: number }> = {
  hot: { statementMs: 5_000, lockMs: 3_000, idleMs: 5_000 },
  work: { statementMs: 30_000, lockMs: 10_000, idleMs: 5_000 },
  migrate: { statementMs: 0, lockMs: 0, idleMs: 0 },
};

/** The server gives up a little after this side, so that nothing goes on that nobody waits for. */
const SERVER_GRACE_MS = 1_000;

const INT8_OID = 20;
const DATE_OID = 1082;

/**
 * Counts and identities come as int8 and stay far below 2^53: numbers, not strings. A date stays YYYY-MM-DD:
 * pg would turn it into midnight in this machine's zone.
 */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (format !== "binary" && oid === INT8_OID) return Number;
    if (format !== "binary" && oid === DATE_OID) return String;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

/**
 * Opens a pool; nothing is sent until the first query. Every session works in UTC, with ISO dates, waits for
 * its commits to be durable (G1) whatever the server's own settings, and holds no lock longer than its
 * purpose needs (G11).
 */
export function connect<Schema = Tables>(url: Secret, options: ConnectOptions = {}) {
  const { purpose = "work", max = 10, applicationName = "invoice-relay", connectTimeoutMs = 5_000 } = options;
  const statementMs = options.statementTimeoutMs ?? LIMITS[purpose].statementMs;
  const session = sessionSettings(purpose, statementMs, options.schema ?? "public");
  const pool = new SessionPool({
    connectionString: url.reveal(),
    max,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    Client: purpose === "hot" && options.unprepared !== true ? PreparingClient : RelayClient,
    // By a first statement, not by start-up options: RDS Proxy and PgBouncer refuse or ignore these.
    onConnect: (client: pg.ClientBase) => client.query(session),
  });
  let closing = false;
  // The pool lets go of its sessions before they have ended, so an error is expected if the server stops just
  // then.
  pool.on("error", (error) => closing || options.onIdleError?.(error));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    /** Ends the connections that do not answer within `limitMs`; the pool makes new ones. */
    endSilentSessions: (limitMs: number) => pool.endSilentSessions(limitMs),
    /** The connections of the pool, and what waits for one. */
    usage: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      wanted: pool.waitingCount,
    }),
    close: () => {
      closing = true;
      return db.destroy();
    },
  };
}

export type Connection<Schema = Tables> = ReturnType<typeof connect<Schema>>;
export type PoolUsage = ReturnType<Connection["usage"]>;

function sessionSettings(purpose: Purpose, statementMs: number, schema: string): string {
  const { lockMs, idleMs } = LIMITS[purpose];
  const settings: Record<string, string> = {
    timezone: "UTC",
    datestyle: "ISO",
    synchronous_commit: "on",
    statement_timeout: String(statementMs === 0 ? 0 : statementMs + SERVER_GRACE_MS),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleMs),
    ...(purpose === "hot" ? { enable_seqscan: "off", jit: "off" } : {}),
    ...(purpose === "migrate" ? { client_connection_check_interval: "1s" } : {}),
    search_path: schema,
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)}`)
    .join("; ");
}
