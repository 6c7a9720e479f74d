import { type Kysely, sql } from "kysely";
import { bytea, type Columns, json, text, time, unnested, uuid } from "../database/columns.ts";
import { GroupCommit } from "../database/group-commit.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
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
    const id = newId(now);
    await this.#commits.add({ ...callback, id, receivedAt: new Date(now) });
    return id;
  }
}

const questionsOf = (row: Row): Question[] =>
  row.invoiceIds.map((invoiceId) => ({ invoiceId, source: row.source }));

const COLUMNS: Columns<Row> = {
  id: uuid((row) => row.id),
  received_at: time((row) => row.receivedAt),
  source: text((row) => row.source),
  method: text((row) => row.method),
  path: text((row) => row.path),
  query: text((row) => row.query),
  reference: text((row) => row.reference),
  remote_address: text((row) => row.remoteAddress),
  found_by: text((row) => row.foundBy),
  verdict: text((row) => row.verdict),
  headers: json((row) => JSON.stringify(row.headers)),
  body: bytea((row) => row.body),
  // unnest would take an array of arrays apart to its last element.
  ids: text((row) => `{${row.invoiceIds.join(",")}}`),
};

function appendStatement(rows: readonly Row[], questions: readonly Question[]) {
  const log = sql`
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, headers, body, invoice_ids)
    select id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, headers, body, ids::uuid[]
    from ${unnested("incoming", rows, COLUMNS)}
    on conflict do nothing`;
  if (questions.length === 0) return log;
  return sql`with logged as (${log}) ${openingStatement(questions, { openedBy: "callback", lane: "unknown" })}`;
}
