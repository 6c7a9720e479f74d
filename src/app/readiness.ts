import { type Kysely, sql } from "kysely";
import { returned, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { within } from "../kit/within.ts";

/** `/readyz` answers within a second, on a busy machine too. */
const ANSWER_MS = 600;

const looking = new Statement(
  { readOnly: returned.boolean, mayInsert: returned.boolean },
  () => sql`
    select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly",
      has_table_privilege('callback', 'insert') as "mayInsert"`,
);

/**
 * Whether callbacks can be recorded, asked of Postgres itself without touching a table: a schema change or a
 * dump may hold its lock. The reason is logged once, and not given to the caller.
 */
export class Readiness {
  readonly #db: Kysely<Tables>;
  readonly #log: Logger;
  /** One at a time, however many ask: questions must not pile up at a database that hangs. */
  #look: Promise<string | null> | null = null;
  /** When it began, by performance.now(). */
  #since = 0;
  #isReady = true;

  /** @param db the pool that records. */
  constructor(db: Kysely<Tables>, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Never throws, and never takes longer than a second. */
  async isReady(): Promise<boolean> {
    if (this.#look === null) {
      this.#since = performance.now();
      this.#look = this.#ask().finally(() => {
        this.#look = null;
      });
    }
    // Whoever asks while one hangs hears of it at once.
    const leftMs = Math.max(0, this.#since + ANSWER_MS - performance.now());
    const problem = await within(this.#look, leftMs, `no answer within ${ANSWER_MS} ms`);
    const isReady = problem === null;
    if (isReady !== this.#isReady) {
      if (isReady) this.#log.info("ready again: callbacks can be recorded");
      else this.#log.warn({ error: problem }, "not ready: callbacks cannot be recorded");
      this.#isReady = isReady;
    }
    return isReady;
  }

  async #ask(): Promise<string | null> {
    try {
      const [row] = await looking.execute(this.#db);
      if (row?.readOnly !== false) return "the database is read-only";
      return row.mayInsert ? null : "the database user may not write callbacks";
    } catch (error) {
      return messageOf(error);
    }
  }
}
