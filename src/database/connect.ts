import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Secret } from "../kit/secret.ts";
import { PreparingClient } from "./preparing-client.ts";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;

export interface Connection<Schema> {
  readonly db: Kysely<Schema>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** The most connections of this pool. */
  max?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** How long to wait for a connection, in ms. */
  connectTimeoutMs?: number;
  /** How long one statement may take before this side gives up on it, in ms; 0 for no limit. */
  statementTimeoutMs?: number;
  /** Keep the plans of statements with the connection; off behind a pooler of statements or transactions. */
  prepare?: boolean;
  /**
   * For statements that look rows up by index and nothing else. A kept plan that was made while a table was small
   * would scan it from end to end however large it grows, until its statistics change. Before version 18 Postgres
   * reckons a ruled-out scan as so dear that it would compile the statement each time: that is off as well.
   */
  byIndex?: boolean;
  /**
   * Send no options at the start of a session, which RDS Proxy and PgBouncer refuse. The role's own time zone has to
   * be UTC then, and its own schema is used.
   */
  plainStart?: boolean;
  /** The Postgres schema that unqualified names mean. */
  schema?: string;
  /** Told of connections that break while idle; the pool replaces them by itself. */
  onIdleError?: (error: Error) => void;
}

const INT8_OID = 20;
const DATE_OID = 1082;

/**
 * Counts and identities come as int8 and stay far below 2^53: numbers, not strings. A date stays YYYY-MM-DD: pg would
 * make midnight in this machine's zone of it.
 */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (format !== "binary" && oid === INT8_OID) return Number;
    if (format !== "binary" && oid === DATE_OID) return String;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

/**
 * Opens a pool; nothing is sent until the first query. Every session works in UTC, with ISO dates, and
 * waits for its commits to be durable (G1), whatever the server's own settings.
 */
export function connect<Schema = Tables>(url: Secret, options: ConnectOptions = {}): Connection<Schema> {
  const {
    max = 10,
    applicationName = "invoice-relay",
    connectTimeoutMs = 5_000,
    statementTimeoutMs = 30_000,
    schema,
  } = options;
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    types,
    ...(options.prepare === true ? { Client: PreparingClient } : {}),
    ...(options.plainStart === true
      ? {}
      : {
          options: `-c timezone=UTC -c datestyle=ISO -c synchronous_commit=on${options.byIndex === true ? " -c enable_seqscan=off -c jit=off" : ""}${schema === undefined ? "" : ` -c search_path=${schema}`}`,
        }),
  });
  let closing = false;
  // The pool lets go of its sessions before they have ended: a server that stops then is no news.
  // A client that is in nobody's query just then has nobody to tell, and an error event unheard would end the
  // process. Whoever holds it hears of it with its next query.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  pool.on("error", (error) => closing || options.onIdleError?.(error));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const close = () => {
    closing = true;
    return db.destroy();
  };
  return { db, close };
}
