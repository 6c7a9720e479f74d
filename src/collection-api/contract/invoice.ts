import { z } from "zod";
import { moneyRead, moneyRequiredRead, moneyWritten } from "./money.ts";
import { utcTime, uuid } from "./strict-fields.ts";
import { idRead, listRead, metadataRead, textRead, textRequiredRead, timeRead } from "./tolerant-fields.ts";

const invoiceFields = z.object({
  id: idRead,
  title: textRead,
  collectionName: textRead,
  payerName: textRead,
  payerEmail: textRead,
  payerPhoneNumber: textRead,
  billerName: textRead,
  billerAddress: textRead,
  billerEmail: textRead,
  amount: moneyRequiredRead,
  serviceCharge: moneyRead,
  vat: moneyRead,
  totalAmount: moneyRead,
  settleableAmount: moneyRead,
  status: textRequiredRead,
  serviceFeePayer: textRead,
  settlementFrequency: textRead,
  type: textRead,
  paymentUrl: textRead,
  dateCreated: timeRead,
  dateModified: timeRead,
  billerMetaData: metadataRead,
  paymentDate: timeRead,
  paymentMethod: textRead,
  invoiceBeneficiaries: listRead(
    z.object({ linkedAccountId: textRequiredRead, amount: moneyRequiredRead }),
    null,
  ),
  callBackUrl: textRead,
});

/**
 * An invoice as the client reads it. Id, status and amount have to be there; anything else that is left out,
 * or is not what it should be, is null. Money is a decimal string, times are the provider's own text (see
 * `toUtc`), a status that nobody knows is kept as it is. Fields it does not know stay in the answer's
 * `document`.
 */
export const invoiceRead = z.preprocess(withStatus, invoiceFields);

export type Invoice = z.output<typeof invoiceFields>;

/** Some answers say `invoiceStatus` where others say `status` (interface, part B). */
export function withStatus(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("invoiceStatus" in value)) return value;
  return "status" in value && value.status !== null ? value : { ...value, status: value.invoiceStatus };
}

/** An invoice as the service writes it (interface, parts A and B). */
export const invoiceWritten = z
  .object({
    id: uuid,
    title: z.string(),
    collectionName: z.string(),
    payerName: z.string(),
    payerEmail: z.string(),
    payerPhoneNumber: z.string().nullable(),
    billerName: z.string(),
    billerAddress: z.string().nullable(),
    billerEmail: z.string().nullable(),
    amount: moneyWritten,
    serviceCharge: moneyWritten,
    vat: moneyWritten,
    totalAmount: moneyWritten,
    settleableAmount: moneyWritten,
    status: z.enum(["Unpaid", "Paid", "Invalidated"]),
    serviceFeePayer: z.enum(["Payer", "Merchant"]),
    settlementFrequency: z.enum(["Daily", "Instant"]),
    type: z.enum(["Live", "Test"]),
    paymentUrl: z.string().meta({ format: "uri" }),
    dateCreated: utcTime,
    dateModified: utcTime,
    billerMetaData: z.record(z.string(), z.string()),
    paymentDate: utcTime.nullable(),
    paymentMethod: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).nullable(),
    invoiceBeneficiaries: z.array(z.object({ linkedAccountId: z.string(), amount: moneyWritten })).nullable(),
    callBackUrl: z.string().nullable(),
  })
  .meta({ id: "Invoice", description: "One payment that is asked for, and what became of it." });

export type InvoiceWritten = z.input<typeof invoiceWritten>;
