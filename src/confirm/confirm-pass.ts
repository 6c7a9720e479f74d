import type { Kysely } from "kysely";
import { CollectionApiError } from "../collection-api/index.ts";
import type { Alarms } from "../database/alarms.ts";
import { isRefusedData } from "../database/postgres-errors.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { withoutCallbackTokens } from "../kit/quiet-text.ts";
import { storableText } from "../kit/storable-text.ts";
import type { SettlementStore } from "../store/settlement-store.ts";
import { InHand } from "../workers/in-hand.ts";
import { extendLeases, releaseQuestions } from "../workers/leases.ts";
import { Signal, waitForEither } from "../workers/signal.ts";
import type { Answer } from "./answer.ts";
import { ask } from "./ask.ts";
import { claimQuestions } from "./claim.ts";
import type { ConfirmSource } from "./confirm-source.ts";
import { judge } from "./judge.ts";
import type { ClaimedQuestion } from "./question.ts";

export interface ConfirmPassOptions {
  db: Kysely<Tables>;
  store: SettlementStore;
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  sources: readonly ConfirmSource[];
  /** How many invoices are asked for at the same time. */
  concurrency: number;
  /** The longest one answer may take, in ms. */
  timeoutMs: number;
  leaseMs: number;
  /** Raised when there may be new work; the pass listens while it waits for answers. */
  wake: Signal;
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
 * is finished or, after a grace, given back.
 * @returns when there may be more, in ms; null when only new work would change it.
 */
export async function confirmPass(options: ConfirmPassOptions, stop: AbortSignal): Promise<number | null> {
  const pass = new Pass(options, stop);
  return await pass.run();
}

class Pass {
  readonly #options: ConfirmPassOptions;
  readonly #stop: AbortSignal;
  readonly #inHand = new InHand<ClaimedQuestion>();
  readonly #buffer: { question: ClaimedQuestion; source: ConfirmSource }[] = [];
  readonly #giveUp = new AbortController();
  readonly #progress = new Signal();
  #moreIsDue = false;
  #asking = 0;
  #replaying = 0;
  #failure: unknown;

  constructor(options: ConfirmPassOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
  }

  async run(): Promise<number | null> {
    const { leaseMs, wake } = this.#options;
    const extending = setInterval(() => void this.#extend(), leaseMs / 3);
    const stopped = () => setTimeout(() => this.#giveUp.abort(), STOP_GRACE_MS).unref();
    this.#stop.addEventListener("abort", stopped);
    try {
      let newWork = true;
      for (;;) {
        const moreInMs: number | null =
          (newWork || this.#moreIsDue) && this.#mayClaim() ? await this.#claim() : null;
        if (this.#ending) await this.#giveBack();
        this.#ask();
        if (this.#inHand.size === 0) {
          if (this.#failure !== undefined) throw this.#failure;
          if (this.#ending || !this.#moreIsDue) return moreInMs;
        } else {
          newWork =
            (await waitForEither(wake, this.#progress, Math.min(moreInMs ?? POLL_MS, POLL_MS))) !== "second";
        }
      }
    } finally {
      clearInterval(extending);
      this.#stop.removeEventListener("abort", stopped);
    }
  }

  get #ending(): boolean {
    return this.#stop.aborted || this.#failure !== undefined;
  }

  // A new claim once half the room is free: few large claims instead of one for each answer.
  #mayClaim(): boolean {
    return !this.#ending && this.#buffer.length <= this.#options.concurrency / 2;
  }

  async #claim(): Promise<number | null> {
    let soonest: number | null = null;
    this.#moreIsDue = false;
    try {
      for (const source of this.#options.sources) {
        const moreInMs = await this.#claimFrom(source);
        if (moreInMs !== null) soonest = Math.min(soonest ?? moreInMs, moreInMs);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    return soonest;
  }

  async #claimFrom(source: ConfirmSource): Promise<number | null> {
    const { db, concurrency, leaseMs } = this.#options;
    await source.gate.settle();
    // As many again wait their turn as are under way; what is being written only has an end of its own (G8).
    const wanted = Math.min(
      concurrency * 2 - this.#buffer.length - this.#asking,
      concurrency * MOST_IN_HAND - this.#inHand.size,
    );
    if (wanted <= 0) {
      this.#moreIsDue = true;
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
    for (const question of claim.questions) {
      this.#inHand.add(question);
      if (question.lane === "replay") this.#replaying += 1;
      this.#buffer.push({ question, source });
    }
    // As many as could be had, or replays held back for live traffic: there may be more.
    if (
      claim.questions.length >= wanted ||
      (wantedReplays > 0 && this.#replaying >= Math.ceil(concurrency / 4))
    )
      this.#moreIsDue = true;
    return claim.moreInMs;
  }

  #ask(): void {
    while (this.#asking < this.#options.concurrency) {
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
      this.#options.metrics.providerAnswers.inc({ source: source.name, outcome: answer.kind });
      if (answer.kind === "key_refused") await source.keyProbe.suspect();
      await this.#settle(question, source, answer);
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

  async #settle(question: ClaimedQuestion, source: ConfirmSource, answer: Answer): Promise<void> {
    const { store, alarms, metrics } = this.#options;
    const rules = await source.rulesFor(answer);
    if (rules instanceof CollectionApiError)
      return await this.#settle(question, source, { kind: "fault", error: rules.summary });
    const judgement = judge(question, answer, rules, Math.random());
    try {
      await store.settle(judgement.settlement);
    } catch (error) {
      if (!isRefusedData(error) || answer.kind !== "found") throw error;
      const evidence = storableText(withoutCallbackTokens(JSON.stringify(answer.document)));
      return await this.#settle(question, source, {
        kind: "outside_contract",
        error: `Postgres refuses the answer: ${messageOf(error)}`,
        evidence,
      });
    }
    const subject = { source: source.name, subject: question.invoiceId };
    if (judgement.settlement.verdict !== null)
      metrics.verdicts.inc({ source: source.name, verdict: judgement.settlement.verdict });
    for (const alarm of judgement.alarms) await alarms.raise({ ...alarm, ...subject });
    if (question.hasEvidence && answer.kind === "found")
      await alarms.clear({ name: "provider_answer_outside_contract", ...subject });
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
