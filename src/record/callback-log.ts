import { type Kysely, sql } from "kysely";
import { bytea, type Columns, json, text, time, uuid } from "../database/columns.ts";
import { GroupCommit } from "../database/group-commit.ts";
import { type Slots, Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import { distinctQuestions, openingStatement, QUESTION, type Question } from "./open-questions.ts";

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
        const questions = distinctQuestions(rows.flatMap(questionsOf));
        await (questions.length > 0 ? APPEND_AND_ASK : APPEND).execute(db, { rows, questions });
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

const questionsOf = ({ verdict, invoiceIds, source }: Row): Question[] =>
  verdict === null ? invoiceIds.map((invoiceId) => ({ invoiceId, source })) : [];

interface Batch {
  rows: readonly Row[];
  questions: readonly Question[];
}

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

const appending = ({ table }: Slots<Batch>) => sql`
  insert into callback
    (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, headers, body, invoice_ids)
  select id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, headers, body, ids::uuid[]
  from ${table("incoming", COLUMNS, ({ rows }) => rows)}
  on conflict do nothing`;

const APPEND = new Statement<Batch, unknown>(appending);

const APPEND_AND_ASK = new Statement<Batch, unknown>((slots) => {
  const asked = slots.table("asked", QUESTION, ({ questions }) => questions);
  return sql`
    with logged as (${appending(slots)})
    ${openingStatement(asked, { openedBy: "callback", lane: "unknown" })}`;
});
