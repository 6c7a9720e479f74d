/** One spelling for `invoiceId`, `InvoiceID`, `invoice_id` and `invoice-id`. */
export function plainName(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase();
}
