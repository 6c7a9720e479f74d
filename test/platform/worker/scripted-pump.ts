import { afterEach, beforeEach, vi } from "vitest";
import { createLogger } from "../../../src/platform/log/log.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { Signal } from "../../../src/platform/worker/loop.ts";
import type { Claim, Policy, Queue, RequestSlot } from "../../../src/platform/worker/policy.ts";
import { Pump } from "../../../src/platform/worker/pump.ts";

interface Item {
  queue: string;
  number: number;
  leaseToken: string;
}

/** A queue whose upstream does what the test says. */
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
      return { queue: this.name, number: this.#made, leaseToken: "" };
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

  run(items: readonly Item[], slot: RequestSlot): Promise<boolean> {
    this.ran.push(...items);
    if (this.answersAtOnce) return Promise.resolve(true);
    const { batch, promise } = this.start(items, slot);
    this.underWay.add(batch);
    return promise;
  }

  /** A batch on its way: the test says when the upstream answers, and when what it said is written. */
  start(items: readonly Item[], { ended, signal }: RequestSlot) {
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
  queues: readonly string[];
  /** The share of each that has one, by its name. */
  shares?: Readonly<Record<string, number>>;
  requests?: number;
  batchSize?: number;
  leaseMs?: number;
}

/** A pump over queues that do what the test says; the first two by themselves. */
export function scriptedPump(options: Options) {
  const { shares = {}, requests = 8, batchSize = 1, leaseMs = 15_000 } = options;
  const queues = options.queues.map((name) => new ScriptedQueue(name, shares[name]));
  const released: Item[] = [];
  const extended: string[][] = [];
  const wake = new Signal();
  const warnings: string[] = [];
  const log = createLogger({ level: "warn", destination: { write: (line) => void warnings.push(line) } });
  const policy: Policy<Item> = {
    ...{ name: "test", queues, requests, batchSize },
    queueOf: ({ queue }) => queue,
    nextBatch: (waiting, underWay, mayWait) =>
      mayWait && underWay > 0 && waiting.length < batchSize ? 0 : Math.min(waiting.length, batchSize),
    async release(items) {
      released.push(...items);
    },
    async extend(items) {
      extended.push([...new Set(items.map(({ leaseToken }) => leaseToken))]);
    },
  };
  const pump = new Pump({ policy, lease: leaseOf(leaseMs), wake, log });
  const [queue, other] = [queues[0], queues[1] ?? queues[0]] as [ScriptedQueue, ScriptedQueue];
  return { pump, policy, queues, queue, other, released, extended, wake, warnings };
}

/** A pump over one queue, whose upstream answers when the test says so. */
export function slowPump(options: Omit<Options, "queues"> = {}) {
  const made = scriptedPump({ ...options, queues: ["a"] });
  made.queue.answersAtOnce = false;
  return made;
}

/** Time passes only as the test says. */
export function onFakeTime(): void {
  const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;
  beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
  afterEach(() => void vi.useRealTimers());
}

export const never = () => new AbortController().signal;

/** Asks for a place on each of these queues. */
export const reserve = (pump: { reserve(queue: string): boolean }, ...queues: string[]): boolean[] =>
  queues.map((queue) => pump.reserve(queue));

/** Lets everything happen that waits for no time. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** Ends every batch of a queue, and what starts because of it, until nothing of it is under way. */
export async function finish(queue: ScriptedQueue): Promise<void> {
  queue.answersAtOnce = true;
  for (const batch of queue.underWay) batch.done();
  await settle();
}

export const inBatches = (queue: ScriptedQueue) => [...queue.underWay].map(({ items }) => items.length);
