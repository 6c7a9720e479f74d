import type { InvoicePageWritten, InvoiceWritten } from "../../collection-api/contract/index.ts";
import type { InvoiceRow } from "./service-tables.ts";

/**
 * The invoice as the contract writes it.
 * @param publicUrl where payers reach this service, no slash at the end.
 */
export function invoiceOnWire(row: InvoiceRow, publicUrl: string): InvoiceWritten {
  return {
    id: row.id,
    title: row.title,
    collectionName: row.collection_name,
    payerName: row.payer_name,
    payerEmail: row.payer_email,
    payerPhoneNumber: row.payer_phone_number,
    billerName: row.biller_name,
    billerAddress: row.biller_address,
    billerEmail: row.biller_email,
    amount: row.amount,
    serviceCharge: row.service_charge,
    vat: row.vat,
    totalAmount: row.total_amount,
    settleableAmount: row.settleable_amount,
    status: row.status,
    serviceFeePayer: row.service_fee_payer,
    settlementFrequency: row.settlement_frequency,
    type: row.type,
    paymentUrl: `${publicUrl}/pay/${row.id}`,
    dateCreated: row.created_at.toISOString(),
    dateModified: row.modified_at.toISOString(),
    billerMetaData: row.biller_metadata,
    paymentDate: row.paid_at?.toISOString() ?? null,
    paymentMethod: row.payment_method,
    invoiceBeneficiaries: row.beneficiaries,
    callBackUrl: row.callback_url,
  };
}

export function listedOnWire(row: InvoiceRow): InvoicePageWritten["items"][number] {
  return {
    id: row.id,
    title: row.title,
    amount: row.amount,
    status: row.status,
    payerName: row.payer_name,
    payerEmail: row.payer_email,
    dateCreated: row.created_at.toISOString(),
    datePaid: row.paid_at?.toISOString() ?? null,
  };
}
