import pg from "pg";
import { decide } from "../../../src/pipeline/confirm/decide.ts";
import type { ConfirmedInvoice, Rules } from "../../../src/pipeline/confirm/invoices/confirmed-invoice.ts";
import type { NewEvent } from "../../../src/pipeline/confirm/paid-event.ts";
import { NEVER_ASKED } from "../../../src/pipeline/confirm/queue/claim.ts";
import type { OutgoingEvent } from "../../../src/pipeline/publish/sns-destination.ts";
import { connect } from "../../../src/platform/database/connect.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { CollectionClient } from "../../../src/provider/collection-api/index.ts";
import type { Addresses } from "../harness/payment.ts";
import { outletAsDocumented } from "./as-documented.ts";
import { outletWithOurLevers } from "./with-our-levers.ts";

const RULES: Rules = {
  paidStatuses: new Set(["paid"]),
  invalidStatuses: new Set(["invalidated"]),
  ...{ collectionNames: null, collectionsUnread: null, hasTestTopic: false, currency: "NGN" },
  ...{ personalData: "full", timeZone: "UTC", othersAreAnswered: true },
};

/** A payment that the provider confirmed. */
export interface Paid {
  invoiceId: string;
  invoice: ConfirmedInvoice;
  event: NewEvent;
}

/** How a job writes and publishes: the difference between one way of building it and another. */
export interface JobOutlet {
  /**
   * Keeps verdict, invoice and event in one transaction; safe to repeat.
   * @returns what is to be sent: the payload that stands in the log; null when SNS has it already.
   */
  store(paid: Paid): Promise<string | null>;
  /** Publishes the event and keeps its acceptance. @throws when SNS did not take it, or nobody knows. */
  publish(event: OutgoingEvent): Promise<void>;
}

interface JobOptions extends Addresses {
  /** With all that makes the relay fast; else as the queue's documentation shows it. */
  levers: boolean;
  /** Pool of the job as documented, which the queue may share. */
  connections: number;
  /** One job after the other: none waits to share a commit or a batch. */
  alone?: boolean;
}

/**
 * The job that a queue runs for one callback: request, decide, store, publish, by the relay's own reading and
 * deciding, so that only the way of queueing and writing differs. It throws whenever it should be run again.
 */
export function startQueueJob(options: JobOptions) {
  const { databaseUrl, providerUrl, snsUrl, levers, connections, alone = false } = options;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, options: "-c timezone=UTC" });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const storing = connect(new Secret(databaseUrl), { max: alone ? 1 : 6, purpose: "hot" });
  const outlet: JobOutlet = levers
    ? outletWithOurLevers(storing.db, snsUrl, alone)
    : outletAsDocumented(pool, snsUrl);
  const client = new CollectionClient({
    ...{ baseUrl: providerUrl, apiKey: "bench-api-key", connections: alone ? 1 : 64 },
  });
  return {
    pool,
    async run(invoiceId: string): Promise<void> {
      const source = "default";
      const asked = { ...NEVER_ASKED, invoiceId, source, leaseToken: "", askedAt: new Date(), known: null };
      const found = await client.getInvoice(invoiceId);
      const answer = { kind: "found" as const, ...found, receivedAt: new Date() };
      const { invoice, event } = decide(asked, answer, RULES, 0.5);
      if (invoice === null || event === null) throw new Error("not paid yet: ask again later");
      const payload = await outlet.store({ invoiceId, invoice, event });
      if (payload !== null) await outlet.publish({ ...event, payload, invoiceId, source });
    },
    async close(): Promise<void> {
      await pool.end();
      await storing.close();
    },
  };
}
