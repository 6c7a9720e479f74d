import { randomUUID } from "node:crypto";
import Big from "big.js";
import { sql } from "kysely";
import { type CreateInvoiceRequest, compareMoney, sumOfMoney } from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import type { CallbackVariant } from "./callback-request.ts";
import { type CollectionRow, readAccountStates, readCollectionTerms } from "./collections.ts";
import { lifetimeMs } from "./expiration.ts";
import {
  type CallbackFaults,
  type CallbackFaultsInput,
  callbackFaults,
  layered,
  variantsInTurn,
} from "./faults.ts";
import { insertInvoice, type PlannedCallback, payInvoice, readInvoice } from "./invoice-statements.ts";
import type { ApiKey } from "./load-seed.ts";
import type { ServiceContext } from "./service-context.ts";
import type { InvoiceRow, PaymentMethod, ServiceDatabase } from "./tables.ts";

/** Creates an unpaid invoice in a collection that is active, by that collection's terms. @throws Refused */
export async function createInvoice(
  db: ServiceDatabase,
  request: CreateInvoiceRequest,
  key: ApiKey,
): Promise<InvoiceRow> {
  const beneficiaries = request.invoiceBeneficiaries?.length ? request.invoiceBeneficiaries : null;
  const [collection, accountStates] = await Promise.all([
    readCollectionTerms(db, request.collectionId),
    readAccountStates(db, beneficiaries?.map((one) => one.linkedAccountId) ?? []),
  ]);
  if (collection === undefined) throw new Refused("unknownCollection", "collectionId names no collection");
  if (collection.status !== "Active")
    throw new Refused("closedCollection", `collectionId names a collection that is ${collection.status}`);

  const amount = collection.amount ?? request.amount;
  const ids = beneficiaries?.map((one) => one.linkedAccountId) ?? [];
  const problems = [
    ...amountProblems(request.amount, collection.amount),
    ...splitProblems(beneficiaries !== null, collection.has_own_split),
    ...ids.flatMap((id, index) => {
      if (!accountStates.has(id)) return `${accountField(index)} names no linked account`;
      return ids.indexOf(id) === index ? [] : `${accountField(index)} is named twice`;
    }),
  ];
  if (beneficiaries !== null && amount !== null) {
    const sum = sumOfMoney(beneficiaries.map((beneficiary) => beneficiary.amount));
    if (compareMoney(sum, amount) !== 0)
      problems.push(`invoiceBeneficiaries should sum to the amount ${amount}, but sum to ${sum}`);
  }
  if (problems.length > 0 || amount === null) throw new Refused("invalid", ...problems);

  const pending = ids.flatMap((id, index) =>
    accountStates.get(id) === "Pending" ? `${accountField(index)} is not approved yet` : [],
  );
  if (pending.length > 0) throw new Refused("ruleBroken", ...pending);
  const billing = billingColumns(collection, amount);
  if (Number(billing.settleable_amount) <= 0)
    throw new Refused("invalid", "amount should be more than the service fee with VAT");
  return await insertInvoice(db, {
    id: randomUUID(),
    created_at: sql`now()`,
    modified_at: sql`now()`,
    expires_at: sql`now() + ${lifetimeMs(collection.invoice_expiration_period)} * interval '1 ms'`,
    paid_at: null,
    ...billing,
    status: "Unpaid",
    type: key.type,
    payment_method: null,
    title: request.title,
    payer_name: request.payerName,
    payer_email: request.payerEmail,
    payer_phone_number: request.payerPhoneNumber,
    callback_url: request.callBackUrl,
    biller_metadata: request.billerMetaData,
    beneficiaries,
  });
}

const accountField = (index: number) => `invoiceBeneficiaries[${index}].linkedAccountId`;

/** `amount` is required when the collection has no fixed one, and refused when it has (interface, part B). */
function amountProblems(asked: string | null, fixed: string | null): string[] {
  if (fixed === null && asked === null) return ["amount is missing: the collection has no fixed amount"];
  if (fixed !== null && asked !== null)
    return ["amount should be left out: the collection has a fixed amount"];
  return [];
}

/** Beneficiaries likewise. */
function splitProblems(isGiven: boolean, hasOwnSplit: boolean): string[] {
  if (isGiven && hasOwnSplit)
    return ["invoiceBeneficiaries should be left out: the collection has its own accounts"];
  if (!isGiven && !hasOwnSplit)
    return ["invoiceBeneficiaries is missing: the collection has no accounts of its own"];
  return [];
}

/** It is paid and its callbacks are queued, or nothing happened. @param own faults of its callbacks alone. */
export async function pay(
  context: ServiceContext,
  invoiceId: string,
  method: PaymentMethod,
  own: CallbackFaultsInput = {},
): Promise<"paid" | "unknown" | "not_payable"> {
  const terms = callbackFaults.parse(layered(context.faults.current.callback, own));
  const nextVariant =
    own.variants === undefined ? () => context.faults.nextVariant() : variantsInTurn(own.variants);
  const { paymentReadableAfterMs, paymentHiddenAs } = terms;
  const paid = await payInvoice(context.db, {
    invoiceId,
    method,
    callbacks: planCallbacks(terms, nextVariant),
    hidden: paymentReadableAfterMs > 0 ? { ms: paymentReadableAfterMs, as: paymentHiddenAs } : null,
  });
  if (paid) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}

/** One callback, unless the terms say otherwise. */
function planCallbacks(terms: CallbackFaults, nextVariant: () => CallbackVariant): PlannedCallback[] {
  const notificationId = randomUUID();
  return Array.from({ length: terms.copies }, (_, copy) => ({
    copy,
    webhookId: randomUUID(),
    notificationId,
    variant: nextVariant(),
    delayMs: terms.delayMs,
    state: terms.never ? "withheld" : "due",
  }));
}

/**
 * What an invoice over `amount` comes to, by the terms of its collection. The fee and its VAT are each rounded
 * half up to two decimals, and the sums are made of the rounded figures, so that what is shown adds up.
 * The payer bears the fee: totalAmount = amount + serviceCharge + vat, settleableAmount = amount
 * (interface, part A). The merchant bears it: totalAmount = amount, and the fee comes off what is settled.
 */
export function billingColumns(collection: CollectionRow, amount: string) {
  const { id, fee, service_fee_billing, settlement_frequency } = collection;
  const net = new Big(amount);
  const uncapped = net.times(fee.percent).div(100).plus(fee.flat);
  const serviceCharge = (fee.cap !== null && uncapped.gt(fee.cap) ? new Big(fee.cap) : uncapped).round(2);
  const vat = serviceCharge.times(fee.vatPercent).div(100).round(2);
  const charges = serviceCharge.plus(vat);
  const isPayers = service_fee_billing === "Payer";
  return {
    collection_id: id,
    amount: net.toFixed(2),
    service_charge: serviceCharge.toFixed(2),
    vat: vat.toFixed(2),
    total_amount: (isPayers ? net.plus(charges) : net).toFixed(2),
    settleable_amount: (isPayers ? net : net.minus(charges)).toFixed(2),
    service_fee_payer: service_fee_billing,
    settlement_frequency,
  };
}
