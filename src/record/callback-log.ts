import type { Kysely } from "kysely";
import { GroupCommit } from "../database/group-commit.ts";
import type { Tables } from "../database/tables.ts";
import { newId } from "../kit/new-id.ts";
import { APPEND, APPEND_AND_ASK, APPEND_AND_HAND_OVER, type CallbackRow } from "./append-statements.ts";
import { distinctQuestions, type Question } from "./open-questions.ts";
import type { HandedQuestion, QuestionTaker } from "./question-taker.ts";

/** What a row does not hold of its callback, or a reading left out (G12). */
export interface CallbackCut {
  /** The budget that was spent when it came, such as `address_bytes`. */
  overBudget: string | null;
  /** Size and SHA-256 in hex of the body as it was sent; null when `body` is whole. */
  body: { bytes: number; sha256: string } | null;
  /** What was not read: `ids`, `fields` or `document`. */
  unread: readonly string[];
}

/** A callback as it came in: its secrets already masked, its bytes untouched. */
export interface IncomingCallback {
  source: string;
  method: string;
  /** Without query, the token masked. */
  path: string;
  /** As it stood in the URL, without `?`. */
  query: string;
  headers: [name: string, value: string][];
  /** The bytes of the wire, compressed if they were; their beginning where `cut` says so. */
  body: Buffer;
  remoteAddress: string | null;
  reference: string | null;
  /** Lower case, distinct. */
  invoiceIds: string[];
  /** Where the ids were found. */
  foundBy: string | null;
  /** null when the ids are to be asked for. */
  verdict: "unreadable" | "ping" | "refused" | null;
  /** null for nearly all. */
  cut: CallbackCut | null;
}

export interface CallbackLogOptions {
  db: Kysely<Tables>;
  /** Called after each commit that left questions for others to claim. */
  onQuestions: () => void;
  /** null: all new questions are left due. */
  taker?: QuestionTaker | null;
  maxBatch?: number;
  maxInFlight?: number;
  maxWaiting?: number;
}

/**
 * The durable log (G1): `append` resolves once the callback and the questions it opens are committed together.
 * The id is made before the write, so that a commit of unknown outcome is repeated without a second row.
 */
export class CallbackLog {
  readonly #commits: GroupCommit<CallbackRow>;

  constructor({ maxBatch = 256, maxInFlight = 2, maxWaiting = 10_000, ...options }: CallbackLogOptions) {
    const write = (rows: readonly CallbackRow[]) => append(rows, options);
    this.#commits = new GroupCommit({ write, maxBatch, maxInFlight, maxWaiting, repeatable: true });
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

async function append(
  rows: readonly CallbackRow[],
  { db, onQuestions, taker = null }: CallbackLogOptions,
): Promise<void> {
  const questions = distinctQuestions(rows.flatMap(questionsOf));
  if (questions.length === 0) {
    await APPEND.execute(db, { rows, questions });
    return;
  }
  // What is over budget waits its turn behind a claim.
  const late = new Set(rows.flatMap(({ cut, invoiceIds }) => (cut?.overBudget ? invoiceIds : [])));
  const reserved = new Set(taker?.reserve(questions.filter(({ invoiceId }) => !late.has(invoiceId))));
  if (taker === null || reserved.size === 0) {
    await APPEND_AND_ASK.execute(db, { rows, questions });
    onQuestions();
    return;
  }
  const leaseToken = newId();
  let handed: HandedQuestion[] = [];
  try {
    const { rows: claimed } = await APPEND_AND_HAND_OVER.execute(db, {
      rows,
      questions: questions.map((question) => ({ ...question, handOver: reserved.has(question) })),
      leaseToken,
      leaseMs: taker.leaseMs,
    });
    handed = claimed.map((question) => ({ ...question, leaseToken }));
  } finally {
    taker.take(handed, reserved.size);
  }
  if (handed.length < questions.length) onQuestions();
}

const questionsOf = ({ verdict, invoiceIds, source }: CallbackRow): Question[] =>
  verdict === null ? invoiceIds.map((invoiceId) => ({ invoiceId, source })) : [];
