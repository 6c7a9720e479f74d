import { createLogger } from "../../src/kit/log.ts";
import { leaseOf } from "../../src/work/lease.ts";
import type { Claim, Exchange, Line, Policy } from "../../src/work/policy.ts";
import { Pump } from "../../src/work/pump.ts";
import { Signal } from "../../src/work/signal.ts";

export interface Item {
  line: string;
  number: number;
  leaseToken: string;
}

/** A batch on its way: the test says when the upstream answers, and when what it said is written. */
export interface Batch {
  items: readonly Item[];
  signal: AbortSignal;
  answers(): void;
  /** Answered, and written. */
  done(takesMore?: boolean): void;
  fails(error: Error): void;
}

/** A line whose upstream does what the test says. */
export class ScriptedLine implements Line<Item> {
  readonly name: string;
  readonly share: number | undefined;
  /** What may be claimed. */
  readonly due: Item[] = [];
  /** How much each claim wanted. */
  readonly wanted: number[] = [];
  readonly underWay = new Set<Batch>();
  /** Everything that ever ran, in order. */
  readonly ran: Item[] = [];
  /** Answers each batch at once, unless it is false. */
  answersAtOnce = true;
  moreInMs: number | null = null;
  claimFails: Error | null = null;
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
    if (this.claimFails !== null) throw this.claimFails;
    const leaseToken = `${this.name}-${this.wanted.length}`;
    const items = this.due.splice(0, wanted).map((item) => ({ ...item, leaseToken }));
    return { items, more: items.length >= wanted, moreInMs: this.moreInMs };
  }

  run(items: readonly Item[], { ended, signal }: Exchange): Promise<boolean> {
    this.ran.push(...items);
    if (this.answersAtOnce) return Promise.resolve(true);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const batch: Batch = {
      items,
      signal,
      answers: ended,
      done: (takesMore = true) => {
        this.underWay.delete(batch);
        ended();
        resolve(takesMore);
      },
      fails: (error) => {
        this.underWay.delete(batch);
        reject(error);
      },
    };
    this.underWay.add(batch);
    return promise;
  }
}

export interface Options {
  lines: readonly string[];
  /** The share of each that has one, by its name. */
  shares?: Readonly<Record<string, number>>;
  exchanges?: number;
  batchSize?: number;
  leaseMs?: number;
}

/** A pump over lines that do what the test says. */
export function scriptedPump({
  lines: names,
  shares = {},
  exchanges = 8,
  batchSize = 1,
  leaseMs = 15_000,
}: Options) {
  const lines = names.map((name) => new ScriptedLine(name, shares[name]));
  const givenBack: Item[] = [];
  const extended: string[][] = [];
  const wake = new Signal();
  const warnings: string[] = [];
  const log = createLogger({
    level: "warn",
    destination: { write: (line) => void warnings.push(JSON.parse(line).msg) },
  });
  const policy: Policy<Item> & { giveBackFails: boolean } = {
    name: "test",
    lines,
    lineOf: ({ line }) => line,
    exchanges,
    batchSize,
    giveBackFails: false,
    nextBatch: (waiting, underWay, mayWait) =>
      mayWait && underWay > 0 && waiting.length < batchSize ? 0 : Math.min(waiting.length, batchSize),
    async giveBack(items) {
      if (policy.giveBackFails) throw new Error("no connection");
      givenBack.push(...items);
    },
    async extend(items) {
      extended.push([...new Set(items.map(({ leaseToken }) => leaseToken))]);
    },
  };
  const pump = new Pump({ policy, lease: leaseOf(leaseMs), wake, log });
  return { pump, policy, lines, givenBack, extended, wake, warnings };
}
