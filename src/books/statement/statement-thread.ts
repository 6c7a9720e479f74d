import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { RelayError, usageError } from "../../kit/errors.ts";
import type { MatchOptions } from "./match-settlements.ts";
import type { Match, SettleableSum } from "./matching.ts";
import type { Books, Statement } from "./read-statement.ts";
import type { Mapping, MappingGiven } from "./statement-columns.ts";
import type { StateFigures } from "./statement-match-row.ts";

/** A statement, without its lines. */
export type StatementRead = Omit<Statement, "lines"> & { lines: number };

export interface Matched {
  states: StateFigures[];
  /** Lines outside of the period. */
  outside: number;
  /** The first of what was left over, with the bank's texts. */
  left: Match[];
  /** Of all matches as they are kept, in hex. */
  sha256: string;
}

/** How many of what is left over are named at once. */
export const NAMED = 200;

export type Asked =
  | { bytes: Uint8Array; given: MappingGiven; remembered: readonly Mapping[]; books: Books }
  | { sums: readonly SettleableSum[] }
  | { options: MatchOptions }
  | { part: number };

// Looked up only where there is a thread: in a bundle for Lambda nothing lies beside this file.
const mainFile = () => new URL(`./statement-thread-main${extname(import.meta.url)}`, import.meta.url);

/** 100,000 lines and as many payments need a third of it. */
const HEAP = { maxOldGenerationSizeMb: 1_536 };
/** How long reading or matching may take, in ms. */
const WITHIN_MS = 300_000;

/**
 * Reads one statement and matches it in a thread of its own, which takes seconds when it is large: whatever else the
 * process does goes on (G11, G12). The thread knows no settings and no secrets, and ends with its scope.
 */
export class StatementThread implements AsyncDisposable {
  readonly #worker = new Worker(mainFile(), { env: {}, execArgv: [], resourceLimits: HEAP });
  #fault: unknown = null;

  constructor() {
    // It may fail while nothing is asked of it.
    this.#worker.on("error", (error) => {
      this.#fault = error;
    });
  }

  /** @throws RelayError that says what is wrong with the statement. */
  read(asked: Extract<Asked, { bytes: unknown }>): Promise<StatementRead> {
    return this.#ask<StatementRead>(asked);
  }

  /** Takes sums of the books for `match`. */
  add(sums: readonly SettleableSum[]): void {
    this.#worker.postMessage({ sums });
  }

  match(options: MatchOptions): Promise<Matched> {
    return this.#ask<Matched>({ options });
  }

  /**
   * Every match as it is kept: JSON arrays of `ITEMS_AT_ONCE`. One after the other: to take all of them at once would
   * hold up whatever else the process does.
   */
  async *items(): AsyncGenerator<string, void, undefined> {
    for (let part = 0; ; part += 1) {
      const { text } = await this.#ask<{ text: string | null }>({ part });
      if (text === null) return;
      yield text;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask<Answer extends object>(asked: Asked): Promise<Answer> {
    const late = AbortSignal.timeout(WITHIN_MS);
    try {
      if (this.#fault !== null) throw this.#fault;
      const answered = once(this.#worker, "message", { signal: late });
      this.#worker.postMessage(asked);
      const [answer]: (Answer | { refused: string })[] = await answered;
      if (answer === undefined || "refused" in answer) throw usageError(answer?.refused ?? "");
      return answer;
    } catch (cause) {
      if (!late.aborted && !isOutOfMemory(cause)) throw cause;
      throw new RelayError(
        "The statement and its payments take too much time or memory to be matched at once. Choose one collection " +
          "(--collection) or fewer days (--from, --to).",
        { cause },
      );
    }
  }
}

const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
