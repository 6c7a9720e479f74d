import { z } from "zod";
import {
  addLinkedAccountRequest,
  banksRead,
  banksWritten,
  collectionRead,
  collectionWritten,
} from "./collection.ts";
import { createInvoiceRequest } from "./create-invoice.ts";
import {
  invoiceFilter,
  invoicePageRead,
  invoicePageWritten,
  invoiceRead,
  invoiceWritten,
} from "./invoice.ts";
import { uuid } from "./strict-fields.ts";
import { textRead } from "./tolerant-fields.ts";

/** The refusals that the interface specifies word for word (part A). */
export const SPECIFIED_MESSAGES = {
  unknownInvoice: "Invoice with the given Id does not exist",
  notPayable: "The invoice has already been paid or is no longer valid",
} as const;

/** The envelope of every answer; `status` is text on some operations and a number on others (part A). */
export const envelopeRead = z.looseObject({
  status: textRead,
  message: textRead,
  /** The group of an error (part B). */
  type: textRead,
  errors: z
    .array(textRead)
    .nullish()
    .catch(null)
    .transform((errors) => (errors ?? []).filter((error) => error !== null)),
  data: z.unknown().optional(),
});

export type Envelope = z.output<typeof envelopeRead>;

/** Whether an envelope's status says that all went well: `success`, or a number from 200 to 299. */
export function saysSuccess(status: string | null): boolean {
  return status !== null && /^(success|2\d\d)$/i.test(status.trim());
}

/** An error's body (part B): `type` groups errors, `errors` names the fields. */
export const errorAnswer = z.object({
  status: z.int().min(400).max(599).describe("The HTTP status again."),
  message: z.string().describe("The problem, for a person."),
  type: z.string().meta({ description: "The group of the error.", examples: ["VALIDATION_ERROR"] }),
  errors: z.array(z.string()).describe("Each problem, starting with the field's name."),
});

export type ErrorAnswer = z.output<typeof errorAnswer>;

/** A row of the interface: client, service, command line and OpenAPI document are made from it. */
export interface Operation {
  /** The client's method. */
  readonly name: string;
  /** The interface's own name for it. */
  readonly title: string;
  readonly summary: string;
  readonly method: "GET" | "POST";
  /** Below the base URL; `{id}` stands for the path's parameter. */
  readonly path: string;
  /** The HTTP status of success. */
  readonly status: 200 | 201;
  /** The form of the envelope's `status` on success. */
  readonly envelopeStatus: "success" | 200;
  /** The HTTP statuses of its own refusals, beside those that any operation may answer. */
  readonly errors: readonly number[];
  /** The schemas that check the request, strictly. */
  readonly request: { readonly path?: z.ZodType; readonly query?: z.ZodType; readonly body?: z.ZodType };
  /** The answer's `data`; left out where the answer has no data. */
  readonly data?: { readonly read: z.ZodType; readonly written: z.ZodType };
}

/** The path's parameter of every operation on one collection or invoice. */
export const idPath = z.object({ id: uuid });

/** The path of Get Banks is not specified: this is the service's, and the client's default. */
export const DEFAULT_BANKS_PATH = "/api/v1/banks";

/** The seven operations of the interface, part A. */
export const operations = {
  getCollection: {
    name: "getCollection",
    title: "Get Collection by ID",
    summary: "A collection: its terms, accounts and state.",
    method: "GET",
    path: "/api/v1/collections/{id}",
    status: 200,
    envelopeStatus: "success",
    errors: [404],
    request: { path: idPath },
    data: { read: collectionRead, written: collectionWritten },
  },
  listInvoices: {
    name: "listInvoices",
    title: "Get Collection Invoices",
    summary: "A page of a collection's invoices, filtered.",
    method: "GET",
    path: "/api/v1/collections/{id}/invoices",
    status: 200,
    envelopeStatus: "success",
    errors: [404],
    request: { path: idPath, query: invoiceFilter },
    data: { read: invoicePageRead, written: invoicePageWritten },
  },
  createInvoice: {
    name: "createInvoice",
    title: "Create Invoice",
    summary: "A new unpaid invoice, with the address where it can be paid.",
    method: "POST",
    path: "/api/v1/invoices",
    status: 200,
    envelopeStatus: 200,
    errors: [403, 404, 412],
    request: { body: createInvoiceRequest },
    data: { read: invoiceRead, written: invoiceWritten },
  },
  getInvoice: {
    name: "getInvoice",
    title: "Get Invoice by ID",
    summary: "An invoice in its present state.",
    method: "GET",
    path: "/api/v1/invoices/{id}",
    status: 200,
    envelopeStatus: 200,
    errors: [404],
    request: { path: idPath },
    data: { read: invoiceRead, written: invoiceWritten },
  },
  invalidateInvoice: {
    name: "invalidateInvoice",
    title: "Invalidate Invoice",
    summary: "Makes an unpaid invoice one that can no longer be paid.",
    method: "POST",
    path: "/api/v1/invoices/{id}/invalidate",
    status: 200,
    envelopeStatus: "success",
    errors: [403, 404, 412],
    request: { path: idPath },
  },
  addLinkedAccount: {
    name: "addLinkedAccount",
    title: "Add Linked Account",
    summary: "An account that settlements may go to once it is approved.",
    method: "POST",
    path: "/api/v1/linked-accounts",
    status: 201,
    envelopeStatus: "success",
    errors: [403],
    request: { body: addLinkedAccountRequest },
  },
  getBanks: {
    name: "getBanks",
    title: "Get Banks",
    summary: "The banks, each with the number that Add Linked Account takes as bankId.",
    method: "GET",
    path: DEFAULT_BANKS_PATH,
    status: 200,
    envelopeStatus: "success",
    errors: [],
    request: {},
    data: { read: banksRead, written: banksWritten },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
