export { confirmSubscription } from "./confirm-subscription.ts";
export { type InvoicePaid, type InvoicePaidData, invoicePaidId, invoicePaidSchema } from "./invoice-paid.ts";
export { InvoicePaidError, type InvoicePaidErrorKind } from "./invoice-paid-error.ts";
export { memoryOnceOnly } from "./memory-once-only.ts";
export { type OnceOnlyStore, onceOnly } from "./once-only.ts";
export { parseInvoicePaid } from "./parse-invoice-paid.ts";
export { parseUnsignedInvoicePaid } from "./parse-unsigned-invoice-paid.ts";
export {
  type PostgresClient,
  type PostgresOnceOnly,
  type PostgresPool,
  postgresOnceOnly,
} from "./postgres-once-only.ts";
export type { Trust } from "./trust.ts";
