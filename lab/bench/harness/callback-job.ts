import { CollectionClient } from "../../../src/collection-api/index.ts";
import type { ConfirmedInvoice } from "../../../src/confirm/invoices/confirmed-invoice.ts";
import { judge } from "../../../src/confirm/judge.ts";
import type { Rules } from "../../../src/confirm/outcome.ts";
import type { NewEvent } from "../../../src/confirm/paid-event.ts";
import { NEVER_ASKED } from "../../../src/confirm/queue/claim.ts";
import type { OutgoingEvent } from "../../../src/publish/sns-destination.ts";

const RULES: Rules = {
  paidStatuses: new Set(["paid"]),
  invalidStatuses: new Set(["invalidated"]),
  collectionNames: null,
  collectionsUnread: null,
  hasTestTopic: false,
  currency: "NGN",
  personalData: "full",
  timeZone: "UTC",
  othersAreAnswered: true,
};

/** A payment that the provider confirmed. */
export interface Paid {
  invoiceId: string;
  invoice: ConfirmedInvoice;
  event: NewEvent;
}

/** How a job writes and publishes: what differs between one way of building it and another. */
export interface JobOutlet {
  /**
   * Keeps verdict, invoice and event in one transaction; safe to repeat.
   * @returns what is to be sent: the payload that stands in the log; null when SNS has it already.
   */
  store(paid: Paid): Promise<string | null>;
  /** Publishes the event and keeps its acceptance. @throws when SNS did not take it, or nobody knows. */
  publish(event: OutgoingEvent): Promise<void>;
}

export interface CallbackJobOptions {
  providerUrl: string;
  /** The most GETs at a time. */
  connections: number;
  outlet: JobOutlet;
}

/**
 * What a job queue runs for one callback: ask, judge, store, publish. It is the relay's own reading and
 * judging, so that only the way of queueing and writing differs, and it throws whenever the queue should run
 * it again.
 */
export function createCallbackJob({
  providerUrl,
  connections,
  outlet,
}: CallbackJobOptions): (invoiceId: string) => Promise<void> {
  const client = new CollectionClient({
    baseUrl: providerUrl,
    apiKey: "bench-api-key",
    connections,
    retries: 0,
  });
  return async (invoiceId) => {
    const confirmation = {
      ...NEVER_ASKED,
      invoiceId,
      source: "default",
      leaseToken: "",
      askedAt: new Date(),
      known: null,
    };
    const { invoice, document } = await client.getInvoice(invoiceId);
    const answer = { kind: "found" as const, invoice, document, receivedAt: new Date() };
    const outcome = judge(confirmation, answer, RULES, 0.5);
    if (outcome.invoice === null || outcome.event === null) throw new Error("not paid yet: ask again later");
    const paid = { invoiceId, invoice: outcome.invoice, event: outcome.event };
    const payload = await outlet.store(paid);
    if (payload !== null) await outlet.publish({ ...outcome.event, payload, invoiceId, source: "default" });
  };
}
