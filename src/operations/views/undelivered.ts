import { shownVerdict } from "../../pipeline/confirm/queue/confirmation.ts";
import { numberOf } from "../../platform/values/text.ts";
import type { Decision, Undelivered, UndeliveredEvidence } from "../list/results.ts";
import {
  count,
  eachOf,
  type Field,
  id,
  listOf,
  money,
  type Rows,
  raw,
  source,
  state,
  text,
  time,
  type View,
} from "./view.ts";

const KIND = state<Undelivered>("Kind", "kind", { phone: "side" });
const FIELDS: readonly Field<Undelivered>[] = [
  text("Reference", "reference", { phone: "lead" }),
  money("Total", "amount"),
  text("Collection", "collection"),
  time("Since", "since"),
  count("Tries", "attempts", { phone: "away" }),
  text("Why", "error", { isLong: true }),
  source(),
];
const idOf = ({ invoiceId, eventId }: Undelivered) => eventId ?? invoiceId;

/** Confirmations that the provider never answered properly, events that SNS refuses. */
export const DEAD_LETTERS: Rows<Undelivered> = {
  one: "dead letter",
  id: id("Id", idOf, { of: "dead_letter" }),
  columns: [...FIELDS, KIND],
  none: "No dead letters.",
  why: "Payments that the relay gave up, after a day of unusable answers or a refusal by SNS, wait here.",
};

/** Paid invoices of collections that are not among COLLECTION_IDS: held back until a person decides. */
export const QUARANTINE: Rows<Undelivered> = {
  one: "quarantined invoice",
  id: id("Id", idOf, { of: "quarantined_invoice" }),
  columns: FIELDS,
  none: "Nothing is in quarantine.",
  why: "A paid invoice of a collection that is not in COLLECTION_IDS waits here, unpublished.",
};

/** @param done what those were that are decided about: "dismissed" */
const decided = ({ none: _, ...of }: Rows<Undelivered>, done: string): View<Decision> => ({
  says({ dryRun, count }) {
    if (count === 0) return `No ${of.one} matches: nothing was changed.`;
    if (!dryRun) return `${numberOf(count, `${of.one} was`, `${of.one}s were`)} ${done}.`;
    return `${numberOf(count, of.one)} would be ${done}. This was a dry run: nothing was changed.`;
  },
  lists: [listOf("items", of, "The first of them")],
});

export const RETRIED = decided(DEAD_LETTERS, "put under way again");
export const DEAD_DISMISSED = decided(DEAD_LETTERS, "dismissed");
export const RELEASED = decided(QUARANTINE, "released");
export const QUARANTINE_DISMISSED = decided(QUARANTINE, "dismissed");

const CALLBACKS: Rows<UndeliveredEvidence["callbacks"][number]> = {
  one: "callback",
  id: id("Callback", "id", { of: "callback" }),
  columns: [time("Received", "receivedAt"), text("Id found in", "foundBy")],
  none: "The log holds no callback of it.",
};

const EVIDENCE: View<UndeliveredEvidence> = {
  facts: [
    KIND,
    id("Invoice", "invoiceId", { of: "invoice" }),
    id("Event", "eventId"),
    ...FIELDS,
    time("Dismissed", "dismissedAt"),
    state("Verdict", ({ confirmation }) => confirmation && shownVerdict(confirmation)),
    text("Opened by", ({ confirmation }) => confirmation?.openedBy),
    time("First asked for", ({ confirmation }) => confirmation?.openedAt),
    count("Requests", ({ confirmation }) => confirmation?.requests ?? null),
    text("The provider says", ({ invoice }) => invoice?.status),
    time("Confirmed", ({ invoice }) => invoice?.confirmedAt),
    raw("The answer that could not be used", ({ confirmation }) => confirmation?.lastAnswer),
    raw("The event that is not sent", ({ event }) => event?.payload),
  ],
  lists: [listOf("callbacks", CALLBACKS, "Callbacks about it")],
};

/** @param operation what brings it back, and `why` in words */
const shown = (
  operation: "retryDead" | "releaseQuarantine",
  why: string,
): View<{ items: UndeliveredEvidence[] }> => ({
  each: eachOf("items", EVIDENCE),
  next: ({ items }) =>
    items.map((item) => ({
      ...{ operation, why },
      args: { ids: [idOf(item)], ...(items.length > 1 && { source: item.source }) },
    })),
});

export const DEAD_LETTER = shown("retryDead", "Once the cause is gone, retry it");
export const QUARANTINED = shown("releaseQuarantine", "If it is yours, release it");
