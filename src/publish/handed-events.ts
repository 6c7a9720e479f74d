import type { Signal } from "../workers/signal.ts";
import type { Route } from "./claim-events.ts";
import type { ClaimedEvent } from "./entry.ts";

export interface HandedEventsOptions {
  routes: readonly Route[];
  leaseMs: number;
  /** How many may wait here before new ones are left due, for whoever claims them (G8). */
  capacity: number;
  /** Starts a pass. */
  wake: Signal;
  /** Gives leases back. */
  release: (events: readonly ClaimedEvent[]) => Promise<void>;
}

/**
 * New events on their way from the confirmer to the publisher of one process. They are claimed from their first
 * moment on, so that a payment rush costs the outbox one write less for each; after a crash they are taken up like
 * everything whose lease ran out (G7).
 */
export class HandedEvents {
  readonly leaseMs: number;
  readonly #options: HandedEventsOptions;
  readonly #topics: ReadonlyMap<string, string>;
  #waiting: ClaimedEvent[] = [];
  #listener: Signal;
  #closed = false;

  constructor(options: HandedEventsOptions) {
    this.leaseMs = options.leaseMs;
    this.#options = options;
    this.#listener = options.wake;
    this.#topics = new Map(options.routes.map((route) => [keyOf(route), route.topicArn]));
  }

  topicOf(event: { source: string; invoiceType: string }): string | null {
    if (this.#closed || this.#waiting.length >= this.#options.capacity) return null;
    return this.#topics.get(keyOf(event)) ?? null;
  }

  async take(events: ClaimedEvent[]): Promise<void> {
    if (this.#closed) return await this.#options.release(events);
    this.#waiting.push(...events);
    this.#listener.raise();
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Of what waits for sending; their leases have to be kept. */
  get waiting(): readonly ClaimedEvent[] {
    return this.#waiting;
  }

  /** The first ones of a route, at most so many. */
  next(route: Route, wanted: number): ClaimedEvent[] {
    const key = keyOf(route);
    const taken: ClaimedEvent[] = [];
    const left: ClaimedEvent[] = [];
    for (const event of this.#waiting)
      (taken.length < wanted && keyOf(event) === key ? taken : left).push(event);
    this.#waiting = left;
    return taken;
  }

  /** While a pass runs, it hears of new ones itself; afterwards they start one. */
  heardBy(listener: Signal | null): void {
    this.#listener = listener ?? this.#options.wake;
  }

  /** Those of a route go back to everybody: its topic does not work now. */
  async giveBack(route: Route): Promise<void> {
    await this.#options.release(this.next(route, Number.POSITIVE_INFINITY));
  }

  /** All go back, and so does what still comes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.release(this.#waiting.splice(0));
  }
}

const keyOf = ({ source, invoiceType }: { source: string; invoiceType: string }) =>
  `${source} ${invoiceType}`;
