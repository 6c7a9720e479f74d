import { hash } from "node:crypto";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Secret } from "../values/index.ts";
import type { Tables } from "./tables.ts";

/** The parts of a connection that `pg` keeps and does not declare. */
interface Inside {
  _queryable: boolean;
  connection: { stream: { destroy(error: Error): void } };
}

/** pg's own words for a query that took longer than `query_timeout`. */
const isReadTimeout = (error: unknown): error is Error =>
  error instanceof Error && error.message === "Query read timeout";

/** SQLSTATEs after which Postgres ends the session. */
const ENDS_SESSION = /^(57P0[1-5]|25P0[34])$/;

const isLastAnswer = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && ENDS_SESSION.test(error.code ?? "");

/** Where only sessions that take no writes are to be had, they are made anew no more often than this, in ms. */
const READ_ONLY_KEPT_MS = 1_000;

/**
 * A connection that is cut off once a query has timed out, or the server has announced the session's end. `pg`
 * would leave it half open, and the pool would lend it again until its end has arrived: the next query would be
 * lost too, or a late answer read as the next query's (brianc/node-postgres#3399).
 */
export class RelayClient extends pg.Client {
  /** Called when it is cut off. */
  onAbandoned: () => void = () => undefined;
  readonly #madeAt = performance.now();
  #isReadOnly = false;

  override query(...given: unknown[]): never {
    const result = (super.query as (...args: unknown[]) => unknown).apply(this, given);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (isReadTimeout(error) || isLastAnswer(error)) this.abandon(error);
        if (error instanceof pg.DatabaseError && error.code === "25006") this.#isReadOnly = true;
      });
    return result as never;
  }

  /** It took no writes and never will, though the server's name may lead to another primary by now. */
  get isOutlived(): boolean {
    return this.#isReadOnly && performance.now() - this.#madeAt > READ_ONLY_KEPT_MS;
  }

  /** Cuts the connection off at once; pending queries get the error. */
  abandon(error: Error): void {
    const inside = this as unknown as Inside;
    inside._queryable = false;
    inside.connection.stream.destroy(error);
    this.onAbandoned();
  }
}

/** The names of the statements seen so far. There are few: every value is a parameter. */
const names = new Map<string, string>();

/** The most names (G8); further statements go unprepared. */
const NAME_LIMIT = 500;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= NAME_LIMIT) return known;
  const name = hash("sha1", text, "base64url");
  names.set(text, name);
  return name;
}

/**
 * A connection that prepares each statement with parameters once: the large statements of the hot path take
 * Postgres longer to parse and plan than to run. Not for poolers that change a session's client between two
 * statements.
 */
export class PreparingClient extends RelayClient {
  override query(...given: unknown[]): never {
    const [text, values] = given;
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    return name === undefined
      ? super.query(...given)
      : super.query({ name, text, values }, ...given.slice(2));
  }
}

/** Where one connection has stopped answering, idle ones have too: they are ended, for each would cost a time-out. */
class SessionPool extends pg.Pool {
  readonly #idle = new Set<RelayClient>();

  constructor(config: pg.PoolConfig) {
    super(config);
    this.on("connect", (client) => {
      // Between queries no caller is there to get an error, and an error event without a listener would end the
      // process. The client's holder gets it with the next query.
      client.on("error", () => undefined);
      if (client instanceof RelayClient) client.onAbandoned = () => this.#abandonIdle();
    });
    this.on("acquire", (client) => void this.#idle.delete(client as unknown as RelayClient));
    this.on("remove", (client) => void this.#idle.delete(client as unknown as RelayClient));
    this.on("release", (error, client) => {
      if (error || !(client instanceof RelayClient)) return;
      if (client.isOutlived) client.abandon(new Error("The session takes no writes"));
      else this.#idle.add(client);
    });
  }

  /** Sends every idle connection a query, and ends those that do not answer within `limitMs`. */
  async endSilentSessions(limitMs: number): Promise<void> {
    await Promise.all(
      [...this.#idle].map(async (client) => {
        const timer = setTimeout(
          () => client.abandon(new Error("The connection gave no sign of life")),
          limitMs,
        );
        try {
          await client.query("select 1" as never);
        } catch {
          // It is gone, which is all that was asked.
        } finally {
          clearTimeout(timer);
        }
      }),
    );
  }

  #abandonIdle(): void {
    for (const client of [...this.#idle]) {
      this.#idle.delete(client);
      client.abandon(new Error("Another connection of this pool stopped answering"));
    }
  }
}

/** A pool's purpose, which decides how long its statements may take. */
export type Purpose =
  /**
   * Work that a callback or a payment waits for: a few seconds at most, and rows are only looked up by index.
   * Sequential scans are off, since a plan made while a table was small would go on scanning it however large it
   * grows, until its statistics change. JIT is off as well: before version 18 Postgres puts so high a cost on a
   * disabled scan that it would compile the statement each time. A plan serves batches of any size: for small ones
   * Postgres would plan each time anew, which takes longer than the statement.
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
  /** The Postgres schema of unqualified names, in place of the login's own search path; `public` by default. */
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

/** The server ends a statement a little after this side, so that no abandoned work goes on. */
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
 * Opens a pool; nothing is sent until the first query. Under any settings of the server, every session works in
 * UTC, with ISO dates, and waits for its commits to be durable (recorded before answered, G1). It holds no lock
 * longer than its purpose needs (nothing stands still, G11).
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
    /** The connections of the pool, and the callers that wait for one. */
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
    ...(purpose === "hot"
      ? { enable_seqscan: "off", jit: "off", plan_cache_mode: "force_generic_plan" }
      : {}),
    ...(purpose === "migrate" ? { client_connection_check_interval: "1s" } : {}),
    search_path: schema,
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)}`)
    .join("; ");
}
