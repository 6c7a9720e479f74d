import { hash } from "node:crypto";
import { DAY_MS, decodedPath, storableText, withoutCallbackTokens } from "../../../platform/values/index.ts";
import { type Answer, toUtc } from "../../../provider/index.ts";
import type { Claimed } from "../queue/claim.ts";

/** The rules that decide beside the answer; one set for each source. */
export interface Rules extends StatusSets {
  /** The names of the collections that may be published, in their present spelling; null for all. */
  collectionNames: ReadonlySet<string> | null;
  /** Why the names of some of them could not be read just now; null when all were. */
  collectionsUnread: string | null;
  /** Whether Test invoices have a topic of their own; without it their events are held. */
  hasTestTopic: boolean;
  personalData: "full" | "none";
  /** The zone of times without a zone. */
  timeZone: string;
  /** Of its amounts. */
  currency: string;
  /** Whether the source is healthy: not backing off, and proven within the last minute by its own answers. */
  othersAreAnswered: boolean;
}

/** A confirmed invoice, ready for its row. */
export type ConfirmedInvoice = ReturnType<typeof makeInvoiceRow>["row"];

/**
 * The row of a confirmed invoice, and how its age compares with the known answer (newer wins, G6). Money as
 * decimal strings; no text holds a NUL.
 * @param paidFirst it is Paid and the known answer is not: it counts as the newest under any date.
 * @returns `isOld`: by its date it is older than the known answer.
 */
export function makeInvoiceRow(
  confirmation: Claimed,
  { invoice, document, receivedAt }: Extract<Answer, { kind: "found" }>,
  timeZone: string,
  { paidFirst }: { paidFirst: boolean },
) {
  // The invoice's own callBackUrl holds a token of ours.
  const masked = withoutCallbackTokens(JSON.stringify(document).toWellFormed());
  const digest = hash("sha256", masked, "base64url");
  const modifiedAt = toUtc(invoice.dateModified, timeZone);
  const knownAt = confirmation.known?.modifiedAt ?? null;
  const { askedAt } = confirmation;
  // A date in the future says nothing of age, or no answer would ever be newer.
  const isOld = knownAt !== null && modifiedAt !== null && modifiedAt < knownAt && !isAhead(knownAt, askedAt);
  const row = {
    createdAt: toUtc(invoice.dateCreated, timeZone),
    modifiedAt,
    paidAt: toUtc(invoice.paymentDate, timeZone),
    amount: invoice.amount,
    serviceCharge: invoice.serviceCharge,
    vat: invoice.vat,
    totalAmount: invoice.totalAmount,
    settleableAmount: invoice.settleableAmount,
    status: invoice.status,
    type: storable(invoice.type),
    collectionName: storable(invoice.collectionName),
    title: confirmation.erased ? null : storable(invoice.title),
    reference: confirmation.erased ? null : referenceIn(invoice.callBackUrl),
    paymentMethod: storable(invoice.paymentMethod),
    serviceFeePayer: storable(invoice.serviceFeePayer),
    /** The provider's JSON, callback tokens masked. */
    document: confirmation.erased ? erasedDocument(confirmation.invoiceId) : masked,
    /** Whether its personal data was erased here; `document` is then free of it. */
    erased: confirmation.erased,
    /** Tells whether two documents differ. */
    digest,
    /** When the GET began, by Postgres' clock: the tie-breaker of G6. */
    askedAt,
    confirmedAt: receivedAt,
    /** Whether it differs from the newest one that is stored. */
    differs: confirmation.known?.digest !== digest,
    /** Whether it is the newest known answer (G6); an older one becomes a snapshot only. */
    newest: paidFirst || !isOld,
  };
  return { row, isOld };
}

/** Later than clocks and time zones explain. */
export const isAhead = (at: Date, askedAt: Date): boolean => at.getTime() > askedAt.getTime() + 2 * DAY_MS;

/**
 * The merchant's own reference: what follows the token in the confirmed invoice's callback URL; null when
 * nothing does.
 */
function referenceIn(callBackUrl: string | null): string | null {
  const [, raw] = /\/callbacks\/[^/?#]+\/([^?#]+)/i.exec(callBackUrl ?? "") ?? [];
  return raw === undefined ? null : storableText(decodedPath(raw));
}

export const storable = (text: string | null): string | null => (text === null ? null : storableText(text));

/** The text in place of an erased invoice's document; ids and amounts have columns of their own. */
export const erasedDocument = (invoiceId: string): string => JSON.stringify({ id: invoiceId, erased: true });

export type StatusClass = "paid" | "invalid" | "unpaid" | "unknown";

/** In lower case. */
export interface StatusSets {
  paidStatuses: ReadonlySet<string>;
  invalidStatuses: ReadonlySet<string>;
}

/**
 * A status or a type in the form in which they are compared. Of letters beyond ASCII the case stays: for those
 * Postgres' answer depends on the database's locale.
 */
export const plainStatus = (status: string): string =>
  status.trim().replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

export const plainStatuses = (statuses: readonly string[]): string[] => statuses.map(plainStatus);

/** From PAID_STATUSES and INVALID_STATUSES as they are set. */
export const statusSets = (set: {
  paidStatuses: readonly string[];
  invalidStatuses: readonly string[];
}): StatusSets => ({
  paidStatuses: new Set(plainStatuses(set.paidStatuses)),
  invalidStatuses: new Set(plainStatuses(set.invalidStatuses)),
});

/** The end of each sentence about an unknown status. */
export const NEITHER_STATUS = "neither in PAID_STATUSES nor in INVALID_STATUSES";

/** Statuses are compared without case (interface, part B; names of further states are not specified). */
export function classOfStatus(status: string, { paidStatuses, invalidStatuses }: StatusSets): StatusClass {
  const plain = plainStatus(status);
  if (paidStatuses.has(plain)) return "paid";
  if (invalidStatuses.has(plain)) return "invalid";
  return plain === "unpaid" ? "unpaid" : "unknown";
}

export type InvoiceType = "Live" | "Test";

/** Case aside; null for anything else, which leaves open the topic that it belongs to. */
export function invoiceTypeOf(type: string | null): InvoiceType | null {
  const plain = plainStatus(type ?? "");
  return plain === "live" ? "Live" : plain === "test" ? "Test" : null;
}

export const hasType = (invoice: { type: string | null } | null): boolean =>
  invoiceTypeOf(invoice?.type ?? null) !== null;
