import { afterEach, beforeEach, vi } from "vitest";
import { createLogger } from "../../../src/platform/log/log.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { Signal } from "../../../src/platform/worker/loop.ts";
import type { Claim, Exchange, Policy, Queue } from "../../../src/platform/worker/policy.ts";
import { Pump } from "../../../src/platform/worker/pump.ts";

interface Item {
  line: string;
  number: number;
  leaseToken: string;
}

/** A line whose upstream does what the test says. */
class ScriptedQueue implements Queue<Item> {
  readonly name: string;
  readonly share: number | undefined;
  /** What may be claimed. */
  readonly due: Item[] = [];
  /** How much each claim wanted. */
  readonly wanted: number[] = [];
  readonly underWay = new Set<ReturnType<ScriptedQueue["start"]>["batch"]>();
  /** Everything that ever ran, in order. */
  readonly ran: Item[] = [];
  answersAtOnce = true;
  moreInMs: number | null = null;
  /** Called during each claim, before it answers. */
  onClaim: () => void = () => undefined;
  #made = 0;

  constructor(name: string, share?: number) {
    this.name = name;
    this.share = share;
  }

  make(count: number): Item[] {
    return Array.from({ length: count }, () => {
      this.#made += 1;
      return { line: this.name, number: this.#made, leaseToken: "" };
    });
  }

  add(count: number): void {
    this.due.push(...this.make(count));
  }

  async claim(wanted: number): Promise<Claim<Item>> {
    this.wanted.push(wanted);
    this.onClaim();
    const leaseToken = `${this.name}-${this.wanted.length}`;
    const items = this.due.splice(0, wanted).map((item) => ({ ...item, leaseToken }));
    return { items, more: items.length >= wanted, moreInMs: this.moreInMs };
  }

  run(items: readonly Item[], exchange: Exchange): Promise<boolean> {
    this.ran.push(...items);
    if (this.answersAtOnce) return Promise.resolve(true);
    const { batch, promise } = this.start(items, exchange);
    this.underWay.add(batch);
    return promise;
  }

  /** A batch on its way: the test says when the upstream answers, and when what it said is written. */
  start(items: readonly Item[], { ended, signal }: Exchange) {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const batch = {
      items,
      signal,
      answers: ended,
      /** Answered, and written. */
      done: (takesMore = true) => {
        this.underWay.delete(batch);
        ended();
        resolve(takesMore);
      },
      fails: (error: Error) => {
        this.underWay.delete(batch);
        reject(error);
      },
    };
    return { batch, promise };
  }
}

interface Options {
  lines: readonly string[];
  /** The share of each that has one, by its name. */
  shares?: Readonly<Record<string, number>>;
  exchanges?: number;
  batchSize?: number;
  leaseMs?: number;
}

/** A pump over lines that do what the test says; the first two by themselves. */
export function scriptedPump(options: Options) {
  const { shares = {}, exchanges = 8, batchSize = 1, leaseMs = 15_000 } = options;
  const lines = options.lines.map((name) => new ScriptedQueue(name, shares[name]));
  const givenBack: Item[] = [];
  const extended: string[][] = [];
  const wake = new Signal();
  const warnings: string[] = [];
  const log = createLogger({ level: "warn", destination: { write: (line) => void warnings.push(line) } });
  const policy: Policy<Item> = {
    ...{ name: "test", lines, exchanges, batchSize },
    lineOf: ({ line }) => line,
    nextBatch: (waiting, underWay, mayWait) =>
      mayWait && underWay > 0 && waiting.length < batchSize ? 0 : Math.min(waiting.length, batchSize),
    async release(items) {
      givenBack.push(...items);
    },
    async extend(items) {
      extended.push([...new Set(items.map(({ leaseToken }) => leaseToken))]);
    },
  };
  const pump = new Pump({ policy, lease: leaseOf(leaseMs), wake, log });
  const [line, other] = [lines[0], lines[1] ?? lines[0]] as [ScriptedQueue, ScriptedQueue];
  return { pump, policy, lines, line, other, givenBack, extended, wake, warnings };
}

/** A pump over one line, whose upstream answers when the test says so. */
export function slowPump(options: Omit<Options, "lines"> = {}) {
  const made = scriptedPump({ ...options, lines: ["a"] });
  made.line.answersAtOnce = false;
  return made;
}

/** Time passes only as the test says. */
export function onFakeTime(): void {
  const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;
  beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
  afterEach(() => void vi.useRealTimers());
}

export const never = () => new AbortController().signal;

/** Asks for a place on each of these lines. */
export const reserve = (pump: { reserve(line: string): boolean }, ...lines: string[]): boolean[] =>
  lines.map((line) => pump.reserve(line));

/** Lets everything happen that waits for no time. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** Ends every batch of a line, and what starts because of it, until nothing of it is under way. */
export async function finish(line: ScriptedQueue): Promise<void> {
  line.answersAtOnce = true;
  for (const batch of line.underWay) batch.done();
  await settle();
}

export const inBatches = (line: ScriptedQueue) => [...line.underWay].map(({ items }) => items.length);
