import { randomUUID } from "node:crypto";
import Big from "big.js";
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { DAY_MS, startOf } from "../../platform/values/index.ts";
import {
  type CreateInvoiceRequest,
  compareMoney,
  type InvoiceFilter,
  sumOfMoney,
} from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import { type CollectionRow, readAccountStates, readCollectionTerms } from "./collections.ts";
import { insertInvoice, type Payment, payInvoice, readInvoice } from "./invoice-statements.ts";
import type { ApiKey } from "./load-seed.ts";
import { lifetimeMs } from "./seed.ts";
import type { ServiceContext } from "./service-context.ts";
import type { InvoiceRow, InvoiceStatus, InvoiceType, ServiceDatabase, ServiceTables } from "./tables.ts";

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

/** It is paid and its callbacks are queued, or nothing happened. */
export async function pay(
  context: ServiceContext,
  invoiceId: string,
  payment: Payment,
): Promise<"paid" | "unknown" | "not_payable"> {
  if (await payInvoice(context.db, invoiceId, payment)) {
    context.wakeDeliveries();
    return "paid";
  }
  return (await readInvoice(context.db, invoiceId)) === undefined ? "unknown" : "not_payable";
}

/**
 * The bill of an invoice over `amount`, by the terms of its collection. The fee and its VAT are each rounded half
 * up to two decimals, and the sums are made of the rounded figures, so that the figures shown add up. The payer
 * bears the fee: totalAmount = amount + serviceCharge + vat, settleableAmount = amount (interface, part A). The
 * merchant bears it: totalAmount = amount, and the fee comes off settleableAmount.
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

/** Days are UTC, both included, of creation. */
interface ListRequest extends Pick<InvoiceFilter, "startDate" | "endDate"> {
  readonly collectionId: string;
  /** null for all. */
  readonly status: InvoiceStatus | null;
  /** null for both. */
  readonly type: InvoiceType | null;
  /** Searched in title, payer's name and e-mail, and id; without case. */
  readonly search?: string | undefined;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** A page, newest first, and how many invoices match in all; both from one snapshot. */
export function listInvoices(
  db: ServiceDatabase,
  request: ListRequest,
): Promise<{ rows: InvoiceRow[]; totalCount: number }> {
  const { page, pageSize } = request;
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const { count } = await selectMatching(trx, request)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      // The page's ids first: sorting a whole month by full rows would not fit in memory.
      const ids = newestFirst(selectMatching(trx, request).select("id"));
      const ofPage = ids.limit(pageSize).offset((page - 1) * pageSize);
      const rows = await newestFirst(
        trx.selectFrom("readable_invoice").selectAll().where("id", "in", ofPage),
      ).execute();
      return { rows, totalCount: count };
    });
}

const newestFirst = <Row>(query: SelectQueryBuilder<ServiceTables, "readable_invoice", Row>) =>
  query.orderBy("created_at", "desc").orderBy("id", "desc");

function selectMatching(db: ServiceDatabase, request: ListRequest) {
  const { collectionId, status, type, search, startDate, endDate } = request;
  return db.selectFrom("readable_invoice").where(({ eb, and, or }) => {
    const terms: Expression<SqlBool>[] = [eb("collection_id", "=", collectionId)];
    if (status !== null) terms.push(eb("status", "=", status));
    if (type !== null) terms.push(eb("type", "=", type));
    if (startDate !== undefined) terms.push(eb("created_at", ">=", startOf(startDate)));
    if (endDate !== undefined)
      terms.push(eb("created_at", "<", new Date(startOf(endDate).getTime() + DAY_MS)));
    if (search !== undefined) {
      const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
      const texts = [eb.ref("title"), eb.ref("payer_name"), eb.ref("payer_email"), sql`id::text`];
      terms.push(or(texts.map((text) => sql<SqlBool>`${text} ilike ${pattern}`)));
    }
    return and(terms);
  });
}
