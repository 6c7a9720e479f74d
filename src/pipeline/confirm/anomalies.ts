import { dayOf, money, moneyIn, shortText } from "../../platform/values/index.ts";
import { compareMoney, differenceOfMoney, type Invoice, sumOfMoney } from "../../provider/index.ts";
import {
  type ConfirmedInvoice,
  invoiceTypeOf,
  isAhead,
  type StatusClass,
} from "./invoices/confirmed-invoice.ts";
import type { KnownInvoice } from "./queue/claim.ts";

const TOLERANCE = "0.01";

/** An optional one that cannot be read, such as "1,511.25", is null in the invoice. */
const OPTIONAL_AMOUNTS = [
  "serviceCharge",
  "vat",
  "totalAmount",
  "settleableAmount",
  "invoiceBeneficiaries",
] as const;

export interface AnomalyFacts {
  invoice: Invoice;
  /** The document that the invoice was read from. */
  document: unknown;
  /** Of its amounts. */
  currency: string;
  now: StatusClass;
  known: KnownInvoice | null;
  /** The class of the known status. */
  before: StatusClass | null;
  /** By verdict, event or the stored answer. */
  paidBefore: boolean;
  /** Its event is in the log, as one of the type that it had then. */
  hasEvent: boolean;
  /** By its date it is older than what is known. */
  isOld: boolean;
  confirmed: Pick<ConfirmedInvoice, "paidAt" | "modifiedAt" | "askedAt">;
}

/**
 * The oddities of a confirmed answer, in plain words without personal data. An odd answer still counts. A
 * change after payment is reported when it happens, and again only after a further change.
 */
export function anomaliesOf({
  invoice,
  document,
  currency,
  now,
  known,
  before,
  paidBefore,
  hasEvent,
  isOld,
  confirmed: { paidAt, modifiedAt, askedAt },
}: AnomalyFacts): string[] {
  const anomalies: string[] = [];
  if (paidBefore && now !== "paid" && invoice.status !== known?.status) {
    const status = shortText(invoice.status);
    anomalies.push(`It was Paid and is now ${status}. It stays paid here; ask the provider why.`);
  }
  if (before === "invalid" && now === "paid") {
    const status = shortText(known?.status ?? "invalid");
    anomalies.push(`It was ${status} and is now Paid. It is published; ask the provider why.`);
  }
  if (now === "paid" && isOld && before !== "paid") {
    anomalies.push("It is Paid by an answer that is dated before the one that was not. It counts as paid.");
  }
  if (paidBefore && known !== null && amountChanged(invoice, known)) {
    anomalies.push(
      `Its amount changed after payment: from ${moneyIn(currency, known.totalAmount ?? known.amount)} to ` +
        `${moneyIn(currency, invoice.totalAmount ?? invoice.amount)}. The event keeps the first.`,
    );
  }
  if (now === "paid" && !isPositive(invoice)) {
    const total = invoice.totalAmount ?? invoice.amount;
    anomalies.push(
      `It is Paid with a total of ${moneyIn(currency, total)}. It is published; ask the provider why.`,
    );
  }
  if (now === "paid" && paidAt !== null && isAhead(paidAt, askedAt)) {
    anomalies.push(
      `It was paid on ${dayOf(paidAt)}, the provider says, which is yet to come. It is published, and reports ` +
        "count it on that day; ask the provider why.",
    );
  }
  if (now === "paid" && modifiedAt !== null && isAhead(modifiedAt, askedAt)) {
    anomalies.push(
      `It was last changed on ${dayOf(modifiedAt)}, the provider says, which is yet to come. It is published; ask ` +
        "the provider why.",
    );
  }
  const unread = [
    ["paymentDate", invoice.paymentDate, paidAt],
    ["dateModified", invoice.dateModified, modifiedAt],
  ] as const;
  for (const [name, text, at] of unread) {
    if (now !== "paid" || at !== null || !isWrittenAsDate(text)) continue;
    anomalies.push(
      `Its ${name} is "${shortText(text)}", which is no date. It is published as if it had none; ask the ` +
        "provider why.",
    );
  }
  const unreadAmounts = OPTIONAL_AMOUNTS.filter(
    (name) => invoice[name] === null && isSaid((document as Partial<Record<string, unknown>>)[name]),
  );
  if (now === "paid" && unreadAmounts.length > 0) {
    anomalies.push(
      `No amount can be read in its ${unreadAmounts.join(", ")}. It is published without; ask the provider why.`,
    );
  }
  if (!totalsAddUp(invoice)) {
    anomalies.push(
      `Its amounts do not add up: ${money(invoice.amount)} + ${money(invoice.serviceCharge)} + ` +
        `${money(invoice.vat)} is not ${moneyIn(currency, invoice.totalAmount)}.`,
    );
  }
  const typeBefore = invoiceTypeOf(known?.type ?? null);
  const type = invoiceTypeOf(invoice.type);
  if (hasEvent && now === "paid" && typeBefore !== null && type !== typeBefore) {
    anomalies.push(
      `Its type changed after payment: from ${typeBefore} to ${type ?? "neither Live nor Test"}. The event ` +
        "keeps the first, and its topic; ask the provider why." +
        (type === "Live"
          ? " If it is Live, an admin sends its event to the live topic as well, by a replay."
          : ""),
    );
  }
  return anomalies;
}

const isSaid = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== "string" || value.trim() !== "");

/** Years 1 and 1970 are what platforms write for "no date". */
const isWrittenAsDate = (text: string | null): text is string =>
  text !== null && !/^\s*(?:(?:0001|1970)-|$)/.test(text);

function amountChanged(invoice: Invoice, known: KnownInvoice): boolean {
  const differ = (now: string | null, before: string | null) =>
    now !== null && before !== null && compareMoney(now, before) !== 0;
  return differ(invoice.totalAmount, known.totalAmount) || differ(invoice.amount, known.amount);
}

const isPositive = ({ amount, totalAmount }: Invoice): boolean =>
  compareMoney(totalAmount ?? amount, "0") > 0;

/** Specified for serviceFeePayer `Payer` only (interface, part A, Invoice). */
function totalsAddUp({ amount, serviceCharge, vat, totalAmount, serviceFeePayer }: Invoice): boolean {
  if (
    serviceFeePayer?.toLowerCase() !== "payer" ||
    serviceCharge === null ||
    vat === null ||
    totalAmount === null
  )
    return true;
  const miss = differenceOfMoney(totalAmount, sumOfMoney([amount, serviceCharge, vat])).replace("-", "");
  return compareMoney(miss, TOLERANCE) <= 0;
}
