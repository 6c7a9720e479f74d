export {
  type InvoicePaid,
  type InvoicePaidData,
  InvoicePaidError,
  type InvoicePaidErrorKind,
  invoicePaidId,
  invoicePaidSchema,
} from "./invoice-paid.ts";
export { parseInvoicePaid, parseUnsignedInvoicePaid } from "./parse-invoice-paid.ts";
export { confirmSubscription, type Trust } from "./verify-signature.ts";
