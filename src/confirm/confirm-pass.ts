import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { InHand } from "../workers/in-hand.ts";
import { extendLeases, releaseQuestions } from "../workers/leases.ts";
import { Signal, waitForEither } from "../workers/signal.ts";
import type { Answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { claimQuestions } from "./claim.ts";
import type { ConfirmSource } from "./confirm-source.ts";
import type { Asker, FreshQuestion, HandedQuestions } from "./handed-questions.ts";
import { type ClaimedQuestion, NOTHING_KNOWN } from "./question.ts";
import { type SettleAnswerOptions, settleAnswer } from "./settle-answer.ts";

export interface ConfirmPassOptions extends SettleAnswerOptions {
  db: Kysely<Tables>;
  log: Logger;
  sources: readonly ConfirmSource[];
  /** How many invoices are asked for at the same time. */
  concurrency: number;
  /** The longest one answer may take, in ms. */
  timeoutMs: number;
  leaseMs: number;
  /** Raised when there may be new work; the pass listens while it waits for answers. */
  wake: Signal;
  /** New questions that need no claim, where a recorder works in the same process. */
  handed: HandedQuestions | null;
}

/** The most questions that a pass holds, answers that are being written included, as a multiple of its concurrency. */
const MOST_IN_HAND = 6;

/** How long answers under way may take once the process has been asked to stop, in ms. */
const STOP_GRACE_MS = 5_000;

/** The safety net for a wake-up that got lost while answers are slow, in ms. */
const POLL_MS = 1_000;

/**
 * Asks everything that is due, up to `concurrency` at a time, until nothing is. Answers are judged and written
 * as they come; a slow one holds up only itself. When `stop` aborts, nothing more is claimed, what is under way
 * is finished or, after a grace, given back. With a recorder beside it, it goes on while new questions keep coming.
 * @returns when there may be more, in ms; null when only new work would change it.
 */
export async function confirmPass(options: ConfirmPassOptions, stop: AbortSignal): Promise<number | null> {
  const pass = new Pass(options, stop);
  return await pass.run();
}

class Pass implements Asker {
  readonly #options: ConfirmPassOptions;
  readonly #stop: AbortSignal;
  readonly #inHand = new InHand<ClaimedQuestion>();
  readonly #buffer: { question: ClaimedQuestion; source: ConfirmSource }[] = [];
  readonly #giveUp = new AbortController();
  readonly #progress = new Signal();
  readonly #sources: ReadonlyMap<string, ConfirmSource>;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #moreInMs: number | null = null;
  // There may be more than the last claim could take, or the source is not as that claim found it.
  #looksAgain = false;
  #asking = 0;
  #replaying = 0;
  #failure: unknown;

  constructor(options: ConfirmPassOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
    this.#sources = new Map(options.sources.map((source) => [source.name, source]));
  }

  async run(): Promise<number | null> {
    const { leaseMs } = this.#options;
    const extending = setInterval(() => void this.#extend(), leaseMs / 3);
    const stopped = () => setTimeout(() => this.#giveUp.abort(), STOP_GRACE_MS).unref();
    this.#stop.addEventListener("abort", stopped);
    try {
      return await this.#drain();
    } finally {
      clearInterval(extending);
      this.#stop.removeEventListener("abort", stopped);
    }
  }

  async #drain(): Promise<number | null> {
    const { wake, handed } = this.#options;
    let newWork = true;
    for (;;) {
      if ((newWork || this.#looksAgain || this.#claimsInMs <= 0) && this.#mayClaim()) await this.#claim();
      handed?.askedBy(this.#ending ? null : this);
      if (this.#ending) await this.#giveBack();
      this.#ask();
      const idle = this.#inHand.size === 0;
      if (idle) {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#ending || (!this.#looksAgain && handed === null)) return this.#moreInMs;
      }
      const waitMs = idle && this.#looksAgain ? 0 : this.#claimsInMs;
      const heard = await waitForEither(wake, this.#progress, waitMs, idle ? this.#stop : undefined);
      if (idle && heard === "neither") {
        handed?.askedBy(null);
        return 0;
      }
      newWork = heard === "first";
    }
  }

  /** How many new questions may come without a claim. What is due already goes first. */
  get room(): number {
    return this.#ending || this.#looksAgain ? 0 : this.#wanted;
  }

  /** Takes questions whose leases are held already. */
  ask(questions: readonly FreshQuestion[]): void {
    for (const question of questions) {
      const source = this.#sources.get(question.source);
      if (source !== undefined) this.#take({ ...NOTHING_KNOWN, ...question }, source);
    }
    this.#ask();
    this.#progress.raise();
  }

  get #ending(): boolean {
    return this.#stop.aborted || this.#failure !== undefined;
  }

  /** When the next claim is due at the latest, in ms: by what the last one said, or for a wake-up that got lost. */
  get #claimsInMs(): number {
    return Math.max(0, this.#claimedAt + Math.min(this.#moreInMs ?? POLL_MS, POLL_MS) - performance.now());
  }

  // A new claim once half the room is free: few large claims instead of one for each answer.
  #mayClaim(): boolean {
    return !this.#ending && this.#buffer.length <= this.#options.concurrency / 2;
  }

  async #claim(): Promise<void> {
    let soonest: number | null = null;
    this.#looksAgain = false;
    try {
      for (const source of this.#options.sources) {
        const moreInMs = await this.#claimFrom(source);
        if (moreInMs !== null) soonest = Math.min(soonest ?? moreInMs, moreInMs);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    this.#claimedAt = performance.now();
    this.#moreInMs = soonest;
  }

  async #claimFrom(source: ConfirmSource): Promise<number | null> {
    const { db, concurrency, leaseMs } = this.#options;
    await source.gate.settle();
    const wanted = this.#wanted;
    if (wanted <= 0) {
      this.#looksAgain = true;
      return null;
    }
    const wantedReplays = Math.max(0, Math.ceil(concurrency / 4) - this.#replaying);
    const claim = await claimQuestions(db, {
      source: source.name,
      limits: source.limits,
      wanted,
      wantedReplays,
      leaseMs,
    });
    source.gate.sawFaults(claim.faults);
    if (claim.keyRefused) await source.keyProbe.probeWhenDue();
    for (const question of claim.questions) this.#take(question, source);
    // As many as could be had, or replays held back for live traffic: there may be more.
    if (
      claim.questions.length >= wanted ||
      (wantedReplays > 0 && this.#replaying >= Math.ceil(concurrency / 4))
    )
      this.#looksAgain = true;
    return claim.moreInMs;
  }

  // As many again wait their turn as are under way; what is being written only has an end of its own (G8).
  get #wanted(): number {
    const { concurrency, handed } = this.#options;
    const left = Math.min(
      concurrency * 2 - this.#buffer.length - this.#asking,
      concurrency * MOST_IN_HAND - this.#inHand.size,
    );
    return left - (handed?.reserved ?? 0);
  }

  #take(question: ClaimedQuestion, source: ConfirmSource): void {
    this.#inHand.add(question);
    if (question.lane === "replay") this.#replaying += 1;
    this.#buffer.push({ question, source });
  }

  #ask(): void {
    while (!this.#ending && this.#asking < this.#options.concurrency) {
      const next = this.#buffer.shift();
      if (next === undefined) return;
      this.#asking += 1;
      void this.#confirm(next.question, next.source);
    }
  }

  async #confirm(question: ClaimedQuestion, source: ConfirmSource): Promise<void> {
    try {
      const answer = await this.#answerOf(question, source);
      source.gate.note(question, answer);
      if (answer.kind !== "found") this.#looksAgain = true;
      this.#options.metrics.providerAnswers.inc({ source: source.name, outcome: answer.kind });
      if (answer.kind === "key_refused") await source.keyProbe.suspect();
      await settleAnswer(this.#options, question, source, answer);
    } catch (error) {
      this.#failure ??= error;
    } finally {
      this.#inHand.delete(question);
      if (question.lane === "replay") this.#replaying -= 1;
      this.#progress.raise();
    }
  }

  async #answerOf(question: ClaimedQuestion, source: ConfirmSource): Promise<Answer> {
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#asking -= 1;
      this.#ask();
    };
    try {
      return await ask(source.client, question.invoiceId, {
        timeoutMs: this.#options.timeoutMs,
        signal: this.#giveUp.signal,
        onExchanged: close,
      });
    } finally {
      close();
    }
  }

  // What is claimed and not begun belongs to others at once; what is under way ends by itself.
  async #giveBack(): Promise<void> {
    const unbegun = this.#buffer.splice(0).map(({ question }) => question);
    for (const question of unbegun) this.#inHand.delete(question);
    try {
      await releaseQuestions(this.#options.db, unbegun);
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        "leases could not be given back; they run out by themselves",
      );
    }
  }

  async #extend(): Promise<void> {
    try {
      await extendLeases(this.#options.db, "confirmation", this.#inHand.tokens(), this.#options.leaseMs);
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        "leases could not be extended; another worker may take the work up",
      );
    }
  }
}
