export { type InvoicePaid, type InvoicePaidData, invoicePaidId, invoicePaidSchema } from "./invoice-paid.ts";
export { InvoicePaidError, type InvoicePaidErrorKind } from "./invoice-paid-error.ts";
export {
  memoryOnceOnly,
  type OnceOnlyStore,
  onceOnly,
  type PostgresClient,
  type PostgresOnceOnly,
  type PostgresPool,
  postgresOnceOnly,
} from "./once-only.ts";
export { parseInvoicePaid, parseUnsignedInvoicePaid } from "./parse-invoice-paid.ts";
export { confirmSubscription, type Trust } from "./verify-signature.ts";
