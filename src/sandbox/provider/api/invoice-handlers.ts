import type { InvoiceFilter } from "../../../collection-api/contract/index.ts";
import { collectionExists } from "../collection-statements.ts";
import { createInvoiceOnce } from "../create-invoice-once.ts";
import type { Faults } from "../faults/faults.ts";
import { invoiceOnWire, listedOnWire } from "../invoice-on-wire.ts";
import { invalidateInvoice, readShownInvoice } from "../invoice-statements.ts";
import { listInvoices } from "../list-invoices.ts";
import type { OperationHandler } from "./operation-handlers.ts";
import { REFUSALS } from "./refusals.ts";

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
