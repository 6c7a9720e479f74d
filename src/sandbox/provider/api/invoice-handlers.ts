import type { InvoiceFilter } from "../../../collection-api/contract/index.ts";
import { collectionExists } from "../collection-statements.ts";
import { createInvoice } from "../create-invoice.ts";
import { shiftPages } from "../faults/shift-pages.ts";
import { invoiceOnWire, listedOnWire } from "../invoice-on-wire.ts";
import { invalidateInvoice, readShownInvoice } from "../invoice-statements.ts";
import { listInvoices } from "../list-invoices.ts";
import type { OperationHandler } from "./operation-handlers.ts";
import { REFUSALS } from "./refusals.ts";

const DEFAULT_PAGE_SIZE = 20;

export const handleCreateInvoice: OperationHandler<"createInvoice"> = async (context, { body, key }) => {
  const outcome = await createInvoice(context.db, body, key.type);
  switch (outcome.verdict) {
    case "unknown_collection":
      return { refusal: REFUSALS.unknownCollection("collectionId names no collection") };
    case "closed_collection":
      return {
        refusal: REFUSALS.forbidden(
          "The collection does not take invoices",
          `collectionId names a collection that is ${outcome.status}`,
        ),
      };
    case "invalid":
      return { refusal: REFUSALS.invalid(...outcome.problems) };
    case "refused":
      return { refusal: REFUSALS.ruleBroken("The beneficiaries cannot be settled", ...outcome.problems) };
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

export const handleListInvoices: OperationHandler<"listInvoices"> = async (context, { path, query }) => {
  const words = readWords(query);
  if (words.problems.length > 0) return { refusal: REFUSALS.invalid(...words.problems) };
  if (!(await collectionExists(context.db, path.id)))
    return { refusal: REFUSALS.unknownCollection("id names no collection") };

  const faults = context.faults.current.list;
  if (context.faults.takeShift()) await shiftPages(context.db, path.id);
  const { page = 1, pageSize = DEFAULT_PAGE_SIZE } = query;
  const { rows, totalCount } = await listInvoices(context.db, {
    collectionId: path.id,
    status: words.status,
    type: words.type ?? (faults.includesTest ? null : "Live"),
    search: query.search ?? null,
    startDate: query.startDate ?? null,
    endDate: query.endDate ?? null,
    datesMean: faults.datesMean,
    page,
    pageSize,
  });
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
