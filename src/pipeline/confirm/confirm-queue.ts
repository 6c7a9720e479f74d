import type { Database } from "../../platform/database/index.ts";
import { isRefusedData, messageOf } from "../../platform/errors/index.ts";
import type { Span, Tracer } from "../../platform/log/index.ts";
import type { Metrics } from "../../platform/metrics/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import type { Limits, UnknownIds, Upstream, UpstreamReport } from "../../platform/upstreams/index.ts";
import { storableText, withoutCallbackTokens } from "../../platform/values/index.ts";
import type { Claim, Lease, Policy, Queue, RequestSlot } from "../../platform/worker/index.ts";
import type { Answer, Provider } from "../../provider/index.ts";
import type { OutcomeStore } from "./answer-statement.ts";
import type { CollectionNames } from "./collection-names.ts";
import { decide, dependsOnCollection, type Outcome } from "./decide.ts";
import type { Rules } from "./invoices/confirmed-invoice.ts";
import { type Claimed, claimConfirmations, confirmationLeases } from "./queue/claim.ts";
import type { KeyProbe, SourceProof } from "./source-proof.ts";

interface ConfirmQueueOptions {
  db: Database;
  name: string;
  limits: Limits;
  provider: Provider;
  upstream: Upstream;
  keyProbe: KeyProbe;
  proof: SourceProof;
  names: CollectionNames;
  unknownIds: UnknownIds;
  rules: Omit<Rules, "collectionNames" | "collectionsUnread" | "othersAreAnswered">;
  store: OutcomeStore;
  metrics: Metrics;
  tracer: Tracer | null;
  lease: Lease;
  /** The longest one answer may take, in ms. */
  timeoutMs: number;
  /** How many replayed confirmations are leased at once. */
  replayLimit: number;
}

/** The confirmations of one source: asks the provider, decides on its answer, and stores what follows. */
export class ConfirmQueue implements Queue<Claimed> {
  readonly name: string;
  readonly #options: ConfirmQueueOptions;
  #replaying = 0;

  constructor(options: ConfirmQueueOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async claim(wanted: number): Promise<Claim<Claimed>> {
    const { db, limits, lease, replayLimit, upstream, keyProbe, unknownIds } = this.#options;
    const replays = Math.max(0, replayLimit - this.#replaying);
    const wants = { total: wanted, unknown: wanted, replays };
    const claiming = { source: this.name, ...wants, lease, limits };
    const { items, isHealthy, isFlooded, isRefused, moreInMs } = await claimConfirmations(db, claiming);
    if (items.length > 0) failpoint("confirmations claimed");
    upstream.saw(isHealthy);
    unknownIds.saw(isFlooded);
    if (isRefused) void keyProbe.probeWhenDue().catch(() => undefined);
    this.#replaying += items.filter(isReplayed).length;
    // The claim was full, or replays were kept back for live traffic: there may be more.
    const more = items.length >= wanted || this.#replaying >= replayLimit;
    return { items, more, moreInMs };
  }

  /** They do not run after all: those of this queue no longer count as leased. */
  noteReleased(confirmations: readonly Claimed[]): void {
    this.#replaying -= confirmations.filter((one) => one.source === this.name && isReplayed(one)).length;
  }

  async run([confirmation]: readonly Claimed[], slot: RequestSlot): Promise<boolean> {
    if (confirmation === undefined) return true;
    const { tracer } = this.#options;
    const span = tracer === null ? null : startConfirming(tracer, confirmation);
    try {
      return await this.#confirm(
        span === null ? confirmation : { ...confirmation, traceparent: span.traceparent },
        slot,
      );
    } finally {
      if (isReplayed(confirmation)) this.#replaying -= 1;
      span?.end();
    }
  }

  async #confirm(confirmation: Claimed, slot: RequestSlot): Promise<boolean> {
    const answer = timedByPostgres(confirmation, await this.#ask(confirmation, slot));
    this.#options.metrics.providerAnswers.inc({ source: this.name, outcome: answer.kind });
    const [takesMore] = await Promise.all([
      this.#note(confirmation, answer, slot.signal),
      this.#store(confirmation, answer),
    ]);
    return takesMore;
  }

  async #ask(confirmation: Claimed, { ended, signal }: RequestSlot): Promise<Answer> {
    const { provider, timeoutMs, proof, metrics } = this.#options;
    const { invoiceId, attempt, faults } = confirmation;
    failpoint("invoice to be asked for");
    if (attempt + faults > 0) metrics.retries.inc({ work: "confirm" });
    const done = metrics.providerSeconds.startTimer({ source: this.name });
    const answer = await provider.askInvoice(invoiceId, { timeoutMs, signal, onResponse: ended });
    failpoint("invoice answered");
    ended();
    done();
    proof.note(answer);
    if (answer.kind !== "not_found" || answer.inOwnWords || (await proof.isProven())) return answer;
    return { kind: "fault", error: `${answer.error}; it may be a gateway's or a web server's answer` };
  }

  /** @returns whether the source takes more. */
  async #note({ priority }: Claimed, answer: Answer, stopped: AbortSignal): Promise<boolean> {
    const { upstream, keyProbe, unknownIds } = this.#options;
    if (answer.kind === "key_refused") await keyProbe.suspect(stopped);
    if (priority === "unknown" && (answer.kind === "found" || answer.kind === "not_found"))
      await unknownIds.note(answer.kind);
    const signal = reportOf(answer);
    return signal === null ? upstream.takesMore : await upstream.note(signal);
  }

  async #store(confirmation: Claimed, answer: Answer): Promise<void> {
    const { store, metrics } = this.#options;
    const outcome = await this.#outcomeOf(confirmation, answer);
    try {
      await store.store(outcome);
    } catch (error) {
      if (!isRefusedData(error) || answer.kind !== "found") throw error;
      const evidence = storableText(withoutCallbackTokens(JSON.stringify(answer.document)));
      const reason = `Postgres refuses the answer: ${messageOf(error)}`;
      return await this.#store(confirmation, { kind: "outside_contract", error: reason, evidence });
    }
    if (outcome.verdict !== null) metrics.verdicts.inc({ source: this.name, verdict: outcome.verdict });
  }

  async #outcomeOf(confirmation: Claimed, answer: Answer): Promise<Outcome> {
    const { names, proof, rules, upstream } = this.#options;
    const known = dependsOnCollection(confirmation, answer, rules)
      ? await names.namesFor(answer.invoice.collectionName ?? "")
      : null;
    const unread = known?.unread ?? null;
    return decide(
      confirmation,
      answer,
      {
        ...rules,
        collectionNames: known?.names ?? null,
        collectionsUnread: unread === null ? null : "error" in unread ? unread.error : "the process ends",
        // A key that is refused for others too would have paused the source.
        othersAreAnswered: upstream.isHealthy && (answer.kind === "key_refused" || proof.isFresh),
      },
      Math.random(),
    );
  }
}

const isReplayed = ({ priority }: Claimed): boolean => priority === "replay";

/** Dates the receipt by Postgres' clock, as all other times are: a worker's own clock may be wrong. */
const timedByPostgres = ({ askedAt, claimedAt }: Claimed, answer: Answer): Answer =>
  answer.kind === "found" && claimedAt !== undefined
    ? { ...answer, receivedAt: new Date(askedAt.getTime() + performance.now() - claimedAt) }
    : answer;

/** Reports what an answer about one invoice shows of the source itself. */
function reportOf(answer: Answer): UpstreamReport | null {
  switch (answer.kind) {
    case "found":
    case "not_found":
    case "outside_contract":
      return { kind: "works" };
    case "fault":
      return { kind: "failed", times: 1, error: answer.error };
    case "rate_limited":
      return { kind: "slow_down", retryAfterMs: answer.retryAfterMs, error: answer.error };
    case "key_refused":
    case "interrupted":
      return null;
  }
}

interface ConfirmPolicyOptions {
  db: Database;
  queues: readonly ConfirmQueue[];
  /** How many invoices are asked for at the same time. */
  concurrency: number;
  lease: Lease;
}

/** How the pump confirms: each confirmation is a request of its own. */
export function confirmPolicy({ db, queues, concurrency, lease }: ConfirmPolicyOptions): Policy<Claimed> {
  return {
    name: "confirm",
    queues,
    queueOf: ({ source }) => source,
    requests: concurrency,
    batchSize: 1,
    nextBatch: () => 1,
    async release(confirmations) {
      for (const queue of queues) queue.noteReleased(confirmations);
      await confirmationLeases.release(
        db,
        confirmations.map(({ invoiceId: id, source, leaseToken }) => ({ id, source, leaseToken })),
      );
    },
    async extend(confirmations) {
      await confirmationLeases.extend(db, confirmations, lease);
    },
  };
}

/**
 * A span for one try at a confirmation. It continues the trace of the callback that opened the confirmation;
 * without one it begins a trace of its own.
 */
function startConfirming(tracer: Tracer, confirmation: Claimed): Span {
  const { invoiceId, source, priority, attempt, faults } = confirmation;
  return tracer.start("confirm invoice", {
    kind: "internal",
    parent: confirmation.traceparents,
    attributes: {
      "invoice_relay.source": source,
      "invoice_relay.invoice.id": invoiceId,
      "invoice_relay.priority": priority,
      "invoice_relay.attempt": attempt,
      "invoice_relay.faults": faults,
    },
  });
}
