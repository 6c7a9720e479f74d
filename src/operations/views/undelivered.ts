import { numberOf } from "../../platform/values/text.ts";
import type { Decision, Undelivered } from "../list/results.ts";
import {
  count,
  type Field,
  id,
  listOf,
  money,
  type Rows,
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
const INVOICE = id<Undelivered>("Invoice", "invoiceId", { of: "invoice" });

/** Confirmations that the provider never answered properly, events that SNS refuses. */
export const DEAD_LETTERS: Rows<Undelivered> = {
  one: "dead letter",
  id: INVOICE,
  columns: [...FIELDS, KIND],
  none: "No dead letters.",
  why: "Payments that the relay gave up, after a day of unusable answers or a refusal by SNS, wait here.",
};

/** Paid invoices of collections that are not among COLLECTION_IDS: held back until a person decides. */
export const QUARANTINE: Rows<Undelivered> = {
  one: "quarantined invoice",
  id: INVOICE,
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
