import type { Kysely } from "kysely";
import { someRelayIsConnected } from "../../database/server.ts";
import type { Tables } from "../../database/tables.ts";
import { readStanding } from "../../upstreams/change.ts";
import { SOURCE, TOPIC } from "../../upstreams/upstream-kind.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { type KnownPayment, readKnownPayments } from "./known-payments.ts";
import { missingOf } from "./swept-payments.ts";

/** A payment without an accepted event, and what it waits for, in plain words. */
export interface WaitingPayment {
  invoiceId: string;
  reason: "asked" | "queued" | "paused" | "not_served" | "dead" | "quarantined" | "held" | "recorded_only";
  detail: string;
}

const BATCH = 500;
const MOST_NAMED = 1_000;

/** The payments that a sweep found without an accepted event and that still have none, with the reason. */
export async function readWaiting(
  db: Kysely<Tables>,
  source: ReconcileSource,
  sweepId: string,
): Promise<{ waiting: WaitingPayment[]; waitingInAll: number }> {
  const around = await surroundingsOf(db, source);
  const waiting: WaitingPayment[] = [];
  let waitingInAll = 0;
  for (let after: string | null = null; ; ) {
    const ids: string[] = await missingOf(db, sweepId, after, BATCH);
    const last = ids.at(-1);
    if (last === undefined) return { waiting, waitingInAll };
    for (const known of await readKnownPayments(db, source, ids)) {
      const one = waitingOf(known, around);
      if (one === null) continue;
      waitingInAll += 1;
      if (waiting.length < MOST_NAMED) waiting.push(one);
    }
    after = last;
  }
}

interface Around {
  sourcePaused: boolean;
  topicPaused: boolean;
  isServed: boolean;
}

async function surroundingsOf(db: Kysely<Tables>, { name, liveTopicArn }: ReconcileSource): Promise<Around> {
  return {
    sourcePaused: ((await readStanding(db, SOURCE, name))?.pausedBy ?? null) !== null,
    topicPaused: ((await readStanding(db, TOPIC, liveTopicArn))?.pausedBy ?? null) !== null,
    isServed: await someRelayIsConnected(db),
  };
}

/** Pure. @returns null when nothing is missing any more. */
export function waitingOf(known: KnownPayment, around: Around): WaitingPayment | null {
  const { invoiceId, event, outboxState, confirmation } = known;
  const because = (text: string) => `${text}${confirmation?.lastError ? `: ${confirmation.lastError}` : ""}`;
  const moving = (reason: "asked" | "queued", detail: string, paused: boolean): WaitingPayment => {
    if (paused) return { invoiceId, reason: "paused", detail: `${detail}, which is paused` };
    if (around.isServed) return { invoiceId, reason, detail };
    return { invoiceId, reason: "not_served", detail: `${detail}; no serve is connected to this database` };
  };
  if (event === "published") return null;
  if (event !== "none") {
    if (outboxState === "dead") return { invoiceId, reason: "dead", detail: "SNS refused its event" };
    if (outboxState === "held")
      return { invoiceId, reason: "held", detail: "a Test invoice without a topic" };
    if (event === "waiting" && outboxState === null) return null;
    return moving("queued", "its event is to be sent to its topic", around.topicPaused);
  }
  if (confirmation?.state === "dead") return { invoiceId, reason: "dead", detail: because("a dead letter") };
  if (confirmation?.state === "done") {
    if (confirmation.verdict === "quarantined")
      return { invoiceId, reason: "quarantined", detail: because("quarantined") };
    if (confirmation.recordOnly)
      return { invoiceId, reason: "recorded_only", detail: "paid before the first serve: recorded only" };
  }
  return moving("asked", "to be asked about at the provider", around.sourcePaused);
}
