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
import { type KnownPayment, readKnownPayments } from "./known-payments.ts";
import { type ClaimedSweep, countDecided } from "./sweep-row.ts";

/** A payment that a sweep decides on. */
export interface Candidate extends ListedFacts {
  invoiceId: string;
  /** It is of the sweep's own collection, as far as its counts go. */
  isOwn: boolean;
}

interface Decided {
  candidate: Candidate;
  known: KnownPayment;
  opening: Opening;
  counts: boolean;
  missing: boolean;
  queues: boolean;
}

/** Nothing is missing, or only a person or the provider can do something about it. */
const WHOLE: ReadonlySet<Opening> = new Set(["complete", "recorded", "answered", "ask_again"]);

const isOpened = (opening: Opening): boolean =>
  opening === "open" || opening === "open_to_record" || opening === "ask_again";

export interface SweepTarget {
  source: ReconcileSource;
  sweep: ClaimedSweep;
  terms: Omit<SweepTerms, "now">;
}

/** Decides the next step of each candidate; leaves out candidates of other windows. */
export async function decideAll(
  db: Database,
  { source, sweep, terms }: SweepTarget,
  candidates: readonly Candidate[],
): Promise<Decided[]> {
  // A sweep may take hours, and be continued after days.
  const dated = { ...terms, now: (await readClock(db, source.name)).now };
  const byId = new Map(candidates.map((candidate) => [candidate.invoiceId, candidate]));
  return (await readKnownPayments(db, source, [...byId.keys()])).flatMap((known) => {
    const candidate = byId.get(known.invoiceId);
    const opening = candidate === undefined ? "elsewhere" : decideOpening(candidate, known, dated);
    if (candidate === undefined || opening === "elsewhere") return [];
    const isOfWindow = sweep.kind === "automatic" || !isDatedElsewhere(candidate, known, dated);
    const counts = candidate.isOwn && isOfWindow;
    const missing = counts && !WHOLE.has(opening);
    return [
      { candidate, known, opening, counts, missing, queues: isOpened(opening) || opening === "requeue" },
    ];
  });
}

/**
 * Opens what is missing of these candidates, and counts it in the same transaction, so that a crash cannot
 * count twice or not at all.
 * @param decidedTo the last of them, in id order. @throws LeaseLost
 */
export async function openMissing(
  db: Database,
  target: SweepTarget,
  candidates: readonly Candidate[],
  decidedTo: string,
): Promise<{ confirmations: boolean; events: boolean }> {
  const { source, sweep } = target;
  const { name, liveTopicArn: live, testTopicArn: test } = source;
  const decided = await decideAll(db, target, candidates);
  const idsOf = (wanted: Opening) =>
    decided.flatMap(({ candidate, opening }) => (opening === wanted ? [candidate.invoiceId] : []));
  const keys = (wanted: Opening, recordOnly = false) =>
    idsOf(wanted).map((invoiceId) => ({ invoiceId, source: name, recordOnly }));
  const toOpen = [...keys("open"), ...keys("ask_again"), ...keys("open_to_record", true)];
  const toQueue = idsOf("requeue");
  const count = (matches: (one: Decided) => boolean) => decided.filter(matches).length;
  await db.transaction().execute(async (trx) => {
    await openConfirmations(trx, toOpen, { openedBy: "reconcile", priority: "known" });
    const opened = decided.filter(({ opening }) => isOpened(opening));
    await noteAsked(
      trx,
      name,
      opened.map(({ candidate }) => candidate),
    );
    await requeueEvents(trx, name, { live, test }, toQueue);
    await countDecided(trx, sweep, {
      decidedTo,
      listed: count(({ counts }) => counts),
      missing: count(({ missing }) => missing),
      opened: count(({ queues }) => queues),
      called: count(
        ({ missing, queues, opening, known }) =>
          (missing || queues) && opening !== "complete" && known.confirmation?.openedBy === "callback",
      ),
    });
    failpoint("payments to be opened");
  });
  failpoint("payments opened");
  return { confirmations: toOpen.length > 0, events: toQueue.length > 0 };
}
