import type { Database } from "../../../platform/database/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { readClock } from "../../../platform/upstreams/index.ts";
import { noteListed as noteAsked, openConfirmations } from "../../confirm/index.ts";
import { requeueEvents } from "../../publish/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import {
  decideOpening,
  isDatedElsewhere,
  type ListedFacts,
  type Opening,
  type SweepTerms,
} from "./decide-opening.ts";
import { readKnownPayments } from "./known-payments.ts";
import { type ClaimedSweep, countDecided, type SweepCounts } from "./sweep-row.ts";

/** A payment that a sweep decides on. */
export interface Candidate extends ListedFacts {
  invoiceId: string;
}

/** Nothing is missing, or only a person or the provider can do something about it. */
const WHOLE: ReadonlySet<Opening> = new Set(["complete", "recorded", "answered", "ask_again"]);

export interface SweepTarget {
  source: ReconcileSource;
  terms: Omit<SweepTerms, "now">;
  /** null of a sweep on request, whose caller counts. */
  claimed: ClaimedSweep | null;
}

/**
 * Opens what is missing of these candidates, leaving out those of other windows. Counts it in the same
 * transaction, so that a crash cannot count twice or not at all.
 * @param decidedTo the last of them, in id order. @throws LeaseLost
 */
export async function openMissing(
  db: Database,
  { source, terms, claimed }: SweepTarget,
  candidates: readonly Candidate[],
  decidedTo: string,
): Promise<{ counts: SweepCounts; confirmations: boolean; events: boolean }> {
  const { name, liveTopicArn: live, testTopicArn: test } = source;
  // A sweep may take hours, and be continued after days.
  const dated = { ...terms, now: (await readClock(db, name)).now };
  const byId = new Map(candidates.map((candidate) => [candidate.invoiceId, candidate]));
  const byOpening = new Map<Opening, Candidate[]>();
  const counts: SweepCounts = { listed: 0, missing: 0, opened: 0 };
  for (const known of await readKnownPayments(db, source, [...byId.keys()])) {
    const candidate = byId.get(known.invoiceId);
    if (candidate === undefined) continue;
    const opening = decideOpening(candidate, known, dated);
    byOpening.set(opening, [...(byOpening.get(opening) ?? []), candidate]);
    if (opening === "elsewhere" || (claimed === null && isDatedElsewhere(candidate, known, dated))) continue;
    counts.listed += 1;
    if (!WHOLE.has(opening)) counts.missing += 1;
  }
  const of = (opening: Opening) => byOpening.get(opening) ?? [];
  const keys = (opening: Opening, recordOnly = false) =>
    of(opening).map(({ invoiceId }) => ({ invoiceId, source: name, recordOnly }));
  const toOpen = [...keys("open"), ...keys("ask_again"), ...keys("open_to_record", true)];
  const toQueue = of("requeue").map(({ invoiceId }) => invoiceId);
  counts.opened = toOpen.length + toQueue.length;
  await db.transaction().execute(async (trx) => {
    await openConfirmations(trx, toOpen, { openedBy: "reconcile", priority: "known" });
    await noteAsked(trx, name, [...of("open"), ...of("ask_again"), ...of("open_to_record")]);
    await requeueEvents(trx, name, { live, test }, toQueue);
    if (claimed !== null) await countDecided(trx, claimed, { decidedTo, ...counts });
    failpoint("payments to be opened");
  });
  failpoint("payments opened");
  return { counts, confirmations: toOpen.length > 0, events: toQueue.length > 0 };
}
