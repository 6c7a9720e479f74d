import { type Kysely, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { GroupCommit } from "../database/group-commit.ts";
import type { Tables } from "../database/tables.ts";
import { openingStatement, type Question } from "./open-questions.ts";

/** A callback as it came in: its secrets already masked, its bytes untouched. */
export interface IncomingCallback {
  source: string;
  method: string;
  /** Without query, the token masked. */
  path: string;
  /** As it stood in the URL, without `?`. */
  query: string;
  headers: [name: string, value: string][];
  /** The bytes of the wire, compressed if they were. */
  body: Buffer;
  remoteAddress: string | null;
  reference: string | null;
  /** Lower case, distinct. */
  invoiceIds: string[];
  /** Where the ids were found. */
  foundBy: string | null;
  /** null when the ids are to be asked for. */
  verdict: "unreadable" | "ping" | "refused" | null;
}

export interface CallbackLogOptions {
  db: Kysely<Tables>;
  /** Called after each commit that opened questions. */
  onQuestions: () => void;
  maxBatch?: number;
  maxInFlight?: number;
  maxWaiting?: number;
}

type Row = IncomingCallback & { id: string; receivedAt: Date };

/**
 * The durable log (G1): `append` resolves once the callback and the questions it opens are committed together.
 * The id is made before the write, so that a commit of unknown outcome is repeated without a second row.
 */
export class CallbackLog {
  readonly #commits: GroupCommit<Row>;

  constructor({ db, onQuestions, maxBatch = 256, maxInFlight = 2, maxWaiting = 10_000 }: CallbackLogOptions) {
    this.#commits = new GroupCommit({
      write: async (rows) => {
        const questions = rows.filter((row) => row.verdict === null).flatMap(questionsOf);
        await appendStatement(rows, questions).execute(db);
        if (questions.length > 0) onQuestions();
      },
      maxBatch,
      maxInFlight,
      maxWaiting,
      repeatable: true,
    });
  }

  /**
   * @returns the callback's id.
   * @throws QueueFull, or the database's error: then nothing was recorded, or nobody can tell, and the sender must try again.
   */
  async append(callback: IncomingCallback): Promise<string> {
    const now = Date.now();
    const id = uuidv7({ msecs: now });
    await this.#commits.add({ ...callback, id, receivedAt: new Date(now) });
    return id;
  }
}

const questionsOf = (row: Row): Question[] =>
  row.invoiceIds.map((invoiceId) => ({ invoiceId, source: row.source }));

function appendStatement(rows: readonly Row[], questions: readonly Question[]) {
  const column = <T>(value: (row: Row) => T) => rows.map(value);
  const log = sql`
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, invoice_ids, headers, body)
    select id, received_at, source, method, path, query, reference, remote_address, found_by, verdict,
      invoice_ids::uuid[], headers::json, body
    from unnest(
      ${column((row) => row.id)}::uuid[], ${column((row) => row.receivedAt.toISOString())}::timestamptz[],
      ${column((row) => row.source)}::text[], ${column((row) => row.method)}::text[],
      ${column((row) => row.path)}::text[], ${column((row) => row.query)}::text[],
      ${column((row) => row.reference)}::text[], ${column((row) => row.remoteAddress)}::text[],
      ${column((row) => row.foundBy)}::text[], ${column((row) => row.verdict)}::text[],
      ${column((row) => `{${row.invoiceIds.join(",")}}`)}::text[], ${column((row) => JSON.stringify(row.headers))}::text[],
      ${column((row) => row.body)}::bytea[])
      as incoming (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, invoice_ids, headers, body)
    on conflict do nothing`;
  if (questions.length === 0) return log;
  return sql`with logged as (${log}) ${openingStatement(questions, { openedBy: "callback", lane: "unknown" })}`;
}
