export { CollectionClient, type Done, type InvoiceAnswer } from "./client.ts";
export type { CallOptions, CollectionClientOptions } from "./client-options.ts";
export { CollectionApiError, type CollectionApiErrorKind } from "./collection-api-error.ts";
export type { AddLinkedAccountInput, Bank, Collection } from "./contract/collection.ts";
export type { CreateInvoiceInput } from "./contract/create-invoice.ts";
export type {
  Invoice,
  InvoiceFilterInput,
  InvoicePage,
  ListedInvoice,
} from "./contract/invoice.ts";
export { compareMoney, differenceOfMoney, type Money, moneyOf, sumOfMoney } from "./contract/money.ts";
export { type OperationName, operations } from "./contract/operations.ts";
export { toUtc } from "./contract/tolerant-fields.ts";
