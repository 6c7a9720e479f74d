import { type Kysely, sql } from "kysely";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { isDatabaseAway } from "../kit/postgres-errors.ts";
import { within } from "../kit/waiting.ts";
import type { Session } from "./sessions.ts";

type Ended = Pick<Session, "id" | "endsAt">;

const ending = new Statement(
  {},
  ({ value }: Slots<Ended>) => sql`
    with over as (delete from ended_session where ends_at < clock_timestamp())
    insert into ended_session (id, ends_at)
    values (${value(({ id }) => id)}, to_timestamp(${value(({ endsAt }) => endsAt)}::float8 / 1000))
    on conflict do nothing`,
);

const looking = new Statement(
  { ended: returned.boolean },
  ({ value }: Slots<string>) =>
    sql`select exists (select from ended_session where id = ${value((id) => id)}) as ended`,
);

/** How long a request waits to hear whether its session has ended. */
const LOOKING_MS = 1_000;

/**
 * The sessions that somebody signed out of, until they would have ended anyway: a copy of their cookie opens
 * nothing, in any process. While Postgres is away each process knows only those that it ended itself: nothing
 * stored can be shown or changed then.
 */
export class EndedSessions {
  readonly #db: Kysely<Tables>;
  readonly #known = new Map<string, number>();
  /** One look for all requests of a session, so that many of them cannot take every connection. */
  readonly #looks = new Map<string, Promise<boolean>>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** @throws the database's error: the session goes on, and has to be signed out of again. */
  async end({ id, endsAt }: Ended): Promise<void> {
    await ending.execute(this.#db, { id, endsAt });
    for (const [known, until] of this.#known) if (until < Date.now()) this.#known.delete(known);
    this.#known.set(id, endsAt);
  }

  /** @returns null when nobody can tell just now. */
  async has(id: string): Promise<boolean | null> {
    if (this.#known.has(id)) return true;
    let look = this.#looks.get(id);
    if (look === undefined) {
      look = this.#look(id).finally(() => this.#looks.delete(id));
      this.#looks.set(id, look);
    }
    return await within(look, LOOKING_MS, null);
  }

  async #look(id: string): Promise<boolean> {
    try {
      const [row] = await looking.execute(this.#db, id);
      return row?.ended === true;
    } catch (error) {
      if (isDatabaseAway(error)) return false;
      throw error;
    }
  }
}
