import { messageOf } from "../kit/errors.ts";
import type { Handoff } from "../kit/handoff.ts";
import type { Logger } from "../kit/log.ts";
import { step } from "../kit/step.ts";
import { HeldWork, type Leased } from "./held-work.ts";
import type { Line, Policy } from "./policy.ts";
import { Signal, waitForEither } from "./signal.ts";

export interface PumpOptions<Item extends Leased> {
  policy: Policy<Item>;
  leaseMs: number;
  /** Raised when there may be work to claim. */
  wake: Signal;
  log: Logger;
}

/** The most items held, those being written down included, as a multiple of what the exchanges hold. */
const MOST_HELD = 6;

/** The safety net for a wake-up that got lost, in ms. */
const POLL_MS = 1_000;

/** How long a batch that is not full waits for company at most, in ms. */
const HOLD_MS = 50;

/** How long exchanges under way may take once the process has been asked to stop, in ms. */
const STOP_GRACE_MS = 5_000;

/** No line takes more than this share of the room while there are others. */
const MOST_OF_ONE_LINE = 0.75;

/**
 * The engine under every kind of work. Five facts:
 * 1. Work is claimed under a lease from each line in turn, or handed over by the transaction that made it.
 * 2. What is held waits, or runs; a line's items run in batches, side by side, as far as exchanges are free.
 * 3. An exchange is free again once the upstream has answered; writing down what it said holds up nobody.
 * 4. Leases are extended while work is held, and nothing begins after its lease has ended; a line whose upstream takes
 *    no more gives back what waits.
 * 5. After a stop, or a write that failed, nothing more is taken, what waits is given back, what runs is finished.
 */
export class Pump<Item extends Leased> implements Handoff<Item> {
  readonly leaseMs: number;
  readonly #policy: Policy<Item>;
  readonly #wake: Signal;
  readonly #log: Logger;
  readonly #held: HeldWork<Item>;
  readonly #underWay: Map<Line<Item>, number>;
  readonly #progress = new Signal();
  #stop: AbortSignal = new AbortController().signal;
  #giveUp = new AbortController();
  #failure: { error: unknown } | null = null;
  #moreIsDue = false;
  #reserved = 0;
  #turn = 0;
  #startsLater: NodeJS.Timeout | undefined;

  constructor({ policy, leaseMs, wake, log }: PumpOptions<Item>) {
    this.leaseMs = leaseMs;
    this.#policy = policy;
    this.#wake = wake;
    this.#log = log;
    this.#underWay = new Map(policy.lines.map((line) => [line, 0]));
    this.#held = new HeldWork({
      lineOf: (item) => policy.lineOf(item),
      leaseMs,
      extend: (tokens) => this.#orWarn(policy.extend(tokens), "leases could not be extended"),
    });
  }

  /**
   * Claims and does all that is due, until nothing is, or `stop` aborts.
   * @returns when there may be more, in ms; null when only new work would change it.
   * @throws what a claim or a write failed with, once nothing is held any more.
   */
  async drain(stop: AbortSignal): Promise<number | null> {
    this.#stop = stop;
    // What runs since before this drain is to hear of its end too.
    if (this.#giveUp.signal.aborted) this.#giveUp = new AbortController();
    const endsGrace = () => setTimeout(() => this.#giveUp.abort(), STOP_GRACE_MS).unref();
    if (stop.aborted) endsGrace();
    else stop.addEventListener("abort", endsGrace);
    try {
      const moreInMs = await this.#untilIdle(stop);
      if (this.#failure !== null) throw this.#failure.error;
      return moreInMs;
    } finally {
      stop.removeEventListener("abort", endsGrace);
      this.#failure = null;
    }
  }

  async #untilIdle(stop: AbortSignal): Promise<number | null> {
    let moreInMs: number | null = null;
    let claimsAt = 0;
    let newWork = true;
    for (;;) {
      if (this.#isEnding) await this.#giveBack(this.#held.dropWaiting());
      else if (this.#hasRoom && (newWork || this.#moreIsDue || performance.now() >= claimsAt)) {
        moreInMs = await this.#claimInTurn();
        claimsAt = performance.now() + Math.min(moreInMs ?? POLL_MS, POLL_MS);
      }
      this.#start();
      if (this.#held.size === 0 && (this.#isEnding || !this.#moreIsDue)) return moreInMs;
      const waitMs = this.#held.size === 0 ? 0 : Math.max(0, claimsAt - performance.now()) || POLL_MS;
      const stops = this.#isEnding ? undefined : stop;
      newWork = (await waitForEither(this.#wake, this.#progress, waitMs, stops)) === "first";
    }
  }

  reserve(lines: readonly string[]): boolean[] {
    let room = this.#isEnding || this.#moreIsDue ? 0 : this.#room;
    return lines.map((name) => {
      const hasPlace = room > 0 && this.#policy.lines.some((line) => line.name === name);
      if (hasPlace) {
        room -= 1;
        this.#reserved += 1;
      }
      return hasPlace;
    });
  }

  take(items: readonly Item[], reserved: number, since: number): void {
    this.#reserved -= reserved;
    if (this.#isEnding) return void this.#giveBack(items);
    step("work handed over");
    this.#held.add(items, since);
    this.#start();
  }

  get #isEnding(): boolean {
    return this.#stop.aborted || this.#failure !== null;
  }

  /** What the exchanges hold, in items. */
  get #capacity(): number {
    return this.#policy.exchanges * this.#policy.batchSize;
  }

  /** As many again may wait as are under way; what is being written down only has an end of its own (G8). */
  get #room(): number {
    const waiting = this.#held.allWaiting + this.#exchanges * this.#policy.batchSize;
    return (
      Math.min(2 * this.#capacity - waiting, MOST_HELD * this.#capacity - this.#held.size) - this.#reserved
    );
  }

  // A new claim once half the room is free: few large claims instead of one for each answer.
  get #hasRoom(): boolean {
    return this.#room > 0 && this.#held.allWaiting <= this.#capacity / 2;
  }

  get #exchanges(): number {
    let count = 0;
    for (const some of this.#underWay.values()) count += some;
    return count;
  }

  #mostOfOne(room: number): number {
    return this.#policy.lines.length === 1 ? room : Math.ceil(room * MOST_OF_ONE_LINE);
  }

  get #linesInTurn(): Line<Item>[] {
    const { lines } = this.#policy;
    this.#turn = (this.#turn + 1) % Math.max(1, lines.length);
    return [...lines.slice(this.#turn), ...lines.slice(0, this.#turn)];
  }

  async #claimInTurn(): Promise<number | null> {
    let soonest: number | null = null;
    this.#moreIsDue = false;
    try {
      for (const line of this.#linesInTurn) {
        const left = this.#mostOfOne(2 * this.#capacity) - this.#held.waitingOf(line.name).length;
        const wanted = Math.min(this.#room, left);
        if (wanted <= 0) {
          this.#moreIsDue = true;
          continue;
        }
        const since = performance.now();
        const { items, more, moreInMs } = await line.claim(wanted);
        this.#held.add(items, since);
        if (more) this.#moreIsDue = true;
        if (moreInMs !== null) soonest = Math.min(soonest ?? moreInMs, moreInMs);
        this.#start();
      }
    } catch (error) {
      this.#fail(error);
    }
    return soonest;
  }

  // A batch of each line in turn, so that none waits behind another's many.
  #start(): void {
    if (this.#isEnding) return;
    const { exchanges } = this.#policy;
    const most = this.#mostOfOne(exchanges);
    for (let started = true; started; ) {
      started = false;
      for (const line of this.#linesInTurn) {
        const underWay = this.#underWay.get(line) ?? 0;
        if (this.#exchanges >= exchanges || underWay >= most) continue;
        const waiting = this.#held.waitingOf(line.name);
        const count = waiting.length === 0 ? 0 : this.#policy.nextBatch(waiting, underWay);
        if (waiting.length > 0 && count === 0) this.#startLater();
        if (count === 0) continue;
        const { running, lapsed } = this.#held.begin(line.name, count);
        if (running.length > 0) void this.#run(line, running);
        if (lapsed.length > 0) void this.#giveBack(lapsed).finally(() => this.#progress.raise());
        started = true;
      }
    }
  }

  #startLater(): void {
    this.#startsLater ??= setTimeout(() => {
      this.#startsLater = undefined;
      this.#start();
    }, HOLD_MS);
  }

  async #run(line: Line<Item>, batch: Item[]): Promise<void> {
    let isExchanging = true;
    const count = (change: number) => this.#underWay.set(line, (this.#underWay.get(line) ?? 0) + change);
    const ended = () => {
      if (!isExchanging) return;
      isExchanging = false;
      count(-1);
      this.#start();
    };
    count(1);
    try {
      const takesMore = await line.run(batch, { ended, signal: this.#giveUp.signal });
      if (!takesMore) await this.#giveBack(this.#held.dropWaiting(line.name));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#held.end(batch);
      ended();
      this.#progress.raise();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#progress.raise();
  }

  async #giveBack(items: readonly Item[]): Promise<void> {
    if (items.length > 0)
      await this.#orWarn(
        this.#policy.giveBack(items),
        "leases could not be given back; they run out by themselves",
      );
  }

  async #orWarn(work: Promise<void>, what: string): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.#log.warn({ worker: this.#policy.name, error: messageOf(error) }, what);
      return false;
    }
  }
}
