import type { z } from "zod";
import type { InvoiceFilter, OperationName, operations } from "../../../collection-api/contract/index.ts";
import { collectionExists, readBanks, readCollectionOnWire } from "../collection-statements.ts";
import { createInvoiceOnce } from "../create-invoice.ts";
import type { Faults } from "../faults/faults.ts";
import { invalidateInvoice, invoiceOnWire, listedOnWire, readShownInvoice } from "../invoice-statements.ts";
import { linkAccount } from "../linked-account-statements.ts";
import { listInvoices } from "../list-invoices.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ApiKey } from "./api-keys.ts";
import type { ExtraQuery } from "./read-request.ts";
import type { Refusal } from "./refusals.ts";
import { REFUSALS } from "./refusals.ts";

type Operations = typeof operations;
type Part<Name extends OperationName, Key extends string> =
  Operations[Name]["request"] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : null;

/** A request that was held against the contract, and who asks. */
export interface ApiRequest<Name extends OperationName> {
  readonly path: Part<Name, "path">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly key: ApiKey;
  readonly extra: ExtraQuery;
  /** The request's own word for itself, where the service looks at one. */
  readonly idempotencyKey: string | undefined;
}

type Data<Name extends OperationName> = Operations[Name] extends {
  data: { written: infer Schema extends z.ZodType };
}
  ? { data: z.input<Schema> }
  : { data?: never };

export type Answer<Name extends OperationName> =
  | ({ readonly refusal?: never; readonly message: string } & Data<Name>)
  | { readonly refusal: Refusal };

export type OperationHandler<Name extends OperationName> = (
  context: ServiceContext,
  request: ApiRequest<Name>,
) => Promise<Answer<Name>>;

/** What the service does for each operation of the contract. */
export type OperationHandlers = { readonly [Name in OperationName]: OperationHandler<Name> };

export const handleCreateInvoice: OperationHandler<"createInvoice"> = async (
  context,
  { body, key, idempotencyKey },
) => {
  const { create, limits } = context.faults.current;
  const outcome = await createInvoiceOnce(context.db, {
    request: body,
    key,
    idempotencyKey,
    freedoms: { ...create, ...limits },
  });
  switch (outcome.verdict) {
    case "unknown_collection":
      return { refusal: REFUSALS.unknownCollection("collectionId names no collection") };
    case "closed_collection":
      return {
        refusal: REFUSALS.closedCollection(`collectionId names a collection that is ${outcome.status}`),
      };
    case "key_reused":
      return { refusal: REFUSALS.keyReused() };
    case "invalid":
      return { refusal: REFUSALS.invalid(...outcome.problems) };
    case "refused":
      return { refusal: REFUSALS.ruleBroken(...outcome.problems) };
    case "created":
      return {
        message: "Invoice created successfully",
        data: invoiceOnWire(outcome.invoice, context.publicUrl),
      };
  }
};

export const handleGetInvoice: OperationHandler<"getInvoice"> = async (context, { path }) => {
  const row = await readShownInvoice(context.db, path.id);
  if (row === undefined) return { refusal: REFUSALS.unknownInvoice("id names no invoice") };
  return { message: "Invoice retrieved successfully", data: invoiceOnWire(row, context.publicUrl) };
};

export const handleInvalidateInvoice: OperationHandler<"invalidateInvoice"> = async (
  context,
  { path, key },
) => {
  const types = key.type === "Live" ? (["Live", "Test"] as const) : (["Test"] as const);
  switch (await invalidateInvoice(context.db, path.id, types)) {
    case "unknown":
      return { refusal: REFUSALS.unknownInvoice("id names no invoice") };
    case "wrong_key":
      return { refusal: REFUSALS.wrongKind("id names a Live invoice") };
    case "not_payable":
      return { refusal: REFUSALS.notPayable("id names an invoice that is not unpaid") };
    case "invalidated":
      return { message: "Invoice invalidated successfully" };
  }
};

export const handleListInvoices: OperationHandler<"listInvoices"> = async (
  context,
  { path, query, extra },
) => {
  const { list: freedoms, limits } = context.faults.current;
  const words = readWords(query);
  const sizes = readPageSize(query.pageSize, limits);
  const problems = [...words.problems, ...sizes.problems];
  if (problems.length > 0) return { refusal: REFUSALS.invalid(...problems) };
  if (!(await collectionExists(context.db, path.id)))
    return { refusal: REFUSALS.unknownCollection("id names no collection") };

  const { page = 1 } = query;
  const { rows, totalCount } = await listInvoices(context.db, {
    collectionId: path.id,
    status: words.status,
    type: words.type ?? (freedoms.includesTest ? null : "Live"),
    search: query.search ?? null,
    startDate: query.startDate ?? null,
    endDate: query.endDate ?? null,
    datesMean: freedoms.datesMean,
    linkedAccountId: extra.linkedAccountId,
    order: freedoms.order,
    page,
    pageSize: extra.isDownloading ? null : sizes.pageSize,
  });
  const pageSize = extra.isDownloading ? Math.max(1, totalCount) : sizes.pageSize;
  return {
    message: "Invoices retrieved successfully",
    data: {
      items: rows.map(listedOnWire),
      page,
      pageSize,
      totalCount,
      hasNextPage: page * pageSize < totalCount,
      hasPreviousPage: page > 1 && totalCount > 0,
    },
  };
};

function readPageSize(asked: number | undefined, limits: Faults["limits"]) {
  const { pageSize, mostPageSize, pageSizeOver } = limits;
  const wanted = asked ?? Math.min(pageSize, mostPageSize);
  const isTooMany = wanted > mostPageSize && pageSizeOver === "refused";
  return {
    pageSize: Math.min(wanted, mostPageSize),
    problems: isTooMany ? [`pageSize should be at most ${mostPageSize}`] : [],
  };
}

/** The filter's words, compared without case. */
function readWords({ invoiceStatus, invoiceType }: InvoiceFilter) {
  const status = wordOf(["Unpaid", "Paid", "Invalidated"] as const, invoiceStatus);
  const type = wordOf(["Live", "Test"] as const, invoiceType);
  const problems = [
    ...(invoiceStatus !== undefined && status === null
      ? ["invoiceStatus should be Unpaid, Paid or Invalidated"]
      : []),
    ...(invoiceType !== undefined && type === null ? ["invoiceType should be Live or Test"] : []),
  ];
  return { status, type, problems };
}

function wordOf<Word extends string>(words: readonly Word[], given: string | undefined): Word | null {
  return words.find((word) => word.toLowerCase() === given?.toLowerCase()) ?? null;
}

export const handleGetCollection: OperationHandler<"getCollection"> = async (context, { path }) => {
  const collection = await readCollectionOnWire(context.db, path.id);
  if (collection === undefined) return { refusal: REFUSALS.unknownCollection("id names no collection") };
  return { message: "Collection retrieved successfully", data: collection };
};

export const handleGetBanks: OperationHandler<"getBanks"> = async (context) => ({
  message: "Banks retrieved successfully",
  data: await readBanks(context.db),
});

export const handleAddLinkedAccount: OperationHandler<"addLinkedAccount"> = async (
  context,
  { body, key },
) => {
  if (key.type === "Test")
    return { refusal: REFUSALS.wrongKind("linkedAccount would receive Live settlements") };
  const { bankId, accountNumber, isPrimary } = body.linkedAccount;
  const outcome = await linkAccount(context.db, {
    bankId,
    accountNumber,
    isPrimary,
    accountName: context.accountHolder,
  });
  switch (outcome) {
    case "unknown_bank":
      return { refusal: REFUSALS.accountRefused("linkedAccount.bankId names no bank") };
    case "already_linked":
      return { refusal: REFUSALS.accountRefused("linkedAccount.accountNumber is already linked") };
    case "linked":
      return { message: "Linked account added successfully, it is pending approval" };
  }
};
