export * from "./collection.ts";
export * from "./create-invoice.ts";
export * from "./exact-json.ts";
export * from "./invoice.ts";
export * from "./money.ts";
export * from "./operations.ts";
export * from "./operations.ts";
export * from "./tolerant-fields.ts";
