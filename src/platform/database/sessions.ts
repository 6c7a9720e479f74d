import { hash } from "node:crypto";
import pg from "pg";

/** What `pg` keeps of a connection and does not declare. */
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
 * A connection that is cut off once a query has timed out, or was told that its session ends: `pg` would
 * leave it half open, and the pool would hand it out again until its end has arrived, so that the next query
 * is lost too, or a late answer is read as the next query's (brianc/node-postgres#3399).
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

  /** Cuts the connection off at once; whoever waits for an answer gets the error. */
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
 * Postgres longer to parse and plan than to run. Not for poolers that hand a session to another client
 * between two statements.
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
export class SessionPool extends pg.Pool {
  readonly #idle = new Set<RelayClient>();

  constructor(config: pg.PoolConfig) {
    super(config);
    this.on("connect", (client) => {
      // Between queries there is nobody to tell of an error, and an error event without a listener would end
      // the process. Whoever holds the client hears of it with the next query.
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

  /** Asks every idle connection for a sign of life, and ends those that give none within `limitMs`. */
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
