import type { z } from "zod";
import type { InvoiceFilter, OperationName, operations } from "../../../collection-api/contract/index.ts";
import { collectionExists, readBanks, readCollectionOnWire } from "../collection-statements.ts";
import { createInvoiceOnce } from "../create-invoice.ts";
import type { Faults } from "../faults/faults.ts";
import { invalidateInvoice, invoiceOnWire, listedOnWire, readShownInvoice } from "../invoice-statements.ts";
import { linkAccount } from "../linked-account-statements.ts";
import { listInvoices } from "../list-invoices.ts";
import type { ApiKey } from "../load-seed.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ExtraQuery } from "./read-request.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";

type Operations = typeof operations;

/** What the contract's schema for a part of the request reads; null where the operation has no such part. */
type Part<Name extends OperationName, Key extends string> =
  Operations[Name]["request"] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : null;

/** A request that was held against the contract, and who asks. */
export interface ApiRequest<Name extends OperationName> {
  readonly path: Part<Name, "path">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly key: ApiKey;
  readonly extra: ExtraQuery;
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

type Handlers = {
  readonly [Name in OperationName]: (
    context: ServiceContext,
    request: ApiRequest<Name>,
  ) => Promise<Answer<Name>>;
};

const noInvoice = { refusal: REFUSALS.unknownInvoice("id names no invoice") };
const noCollection = { refusal: REFUSALS.unknownCollection("id names no collection") };

const INVALIDATE = {
  unknown: noInvoice,
  wrong_key: { refusal: REFUSALS.wrongKind("id names a Live invoice") },
  not_payable: { refusal: REFUSALS.notPayable("id names an invoice that is not unpaid") },
  invalidated: { message: "Invoice invalidated successfully" },
};

const LINK = {
  unknown_bank: { refusal: REFUSALS.accountRefused("linkedAccount.bankId names no bank") },
  already_linked: { refusal: REFUSALS.accountRefused("linkedAccount.accountNumber is already linked") },
  linked: { message: "Linked account added successfully, it is pending approval" },
};

/** What the service does for each operation of the contract. */
export const HANDLERS: Handlers = {
  async getCollection({ db }, { path }) {
    const collection = await readCollectionOnWire(db, path.id);
    if (collection === undefined) return noCollection;
    return { message: "Collection retrieved successfully", data: collection };
  },

  async listInvoices({ db, faults }, { path, query, extra }) {
    const { list: freedoms, limits } = faults.current;
    const problems: string[] = [];
    const status = readWord("invoiceStatus", ["Unpaid", "Paid", "Invalidated"], query, problems);
    const type = readWord("invoiceType", ["Live", "Test"], query, problems);
    const pageSize = readPageSize(query.pageSize, limits, problems);
    if (problems.length > 0) return { refusal: REFUSALS.invalid(...problems) };
    if (!(await collectionExists(db, path.id))) return noCollection;

    const { page = 1 } = query;
    const { rows, totalCount } = await listInvoices(db, {
      collectionId: path.id,
      status,
      type: type ?? (freedoms.includesTest ? null : "Live"),
      search: query.search ?? null,
      startDate: query.startDate ?? null,
      endDate: query.endDate ?? null,
      datesMean: freedoms.datesMean,
      linkedAccountId: extra.linkedAccountId,
      order: freedoms.order,
      page,
      pageSize: extra.isDownloading ? null : pageSize,
    });
    const shownSize = extra.isDownloading ? Math.max(1, totalCount) : pageSize;
    return {
      message: "Invoices retrieved successfully",
      data: {
        items: rows.map(listedOnWire),
        page,
        pageSize: shownSize,
        totalCount,
        hasNextPage: page * shownSize < totalCount,
        hasPreviousPage: page > 1 && totalCount > 0,
      },
    };
  },

  async createInvoice({ db, faults, publicUrl }, { body, key, idempotencyKey }) {
    const { create, limits } = faults.current;
    const freedoms = { ...create, ...limits };
    const outcome = await createInvoiceOnce(db, { request: body, key, idempotencyKey, freedoms });
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
        return { message: "Invoice created successfully", data: invoiceOnWire(outcome.invoice, publicUrl) };
    }
  },

  async getInvoice({ db, publicUrl }, { path }) {
    const row = await readShownInvoice(db, path.id);
    if (row === undefined) return noInvoice;
    return { message: "Invoice retrieved successfully", data: invoiceOnWire(row, publicUrl) };
  },

  async invalidateInvoice({ db }, { path, key }) {
    const types = key.type === "Live" ? (["Live", "Test"] as const) : (["Test"] as const);
    return INVALIDATE[await invalidateInvoice(db, path.id, types)];
  },

  async addLinkedAccount({ db, accountHolder }, { body, key }) {
    if (key.type === "Test")
      return { refusal: REFUSALS.wrongKind("linkedAccount would receive Live settlements") };
    return LINK[await linkAccount(db, { ...body.linkedAccount, accountName: accountHolder })];
  },

  async getBanks({ db }) {
    return { message: "Banks retrieved successfully", data: await readBanks(db) };
  },
};

function readPageSize(asked: number | undefined, limits: Faults["limits"], problems: string[]): number {
  const { pageSize, mostPageSize, pageSizeOver } = limits;
  const wanted = asked ?? Math.min(pageSize, mostPageSize);
  if (wanted > mostPageSize && pageSizeOver === "refused")
    problems.push(`pageSize should be at most ${mostPageSize}`);
  return Math.min(wanted, mostPageSize);
}

/** A word of the filter, compared without case; null where it is left out, or wrong. */
function readWord<Word extends string>(
  name: "invoiceStatus" | "invoiceType",
  words: readonly Word[],
  filter: InvoiceFilter,
  problems: string[],
): Word | null {
  const given = filter[name];
  const word = words.find((one) => one.toLowerCase() === given?.toLowerCase());
  if (given !== undefined && word === undefined)
    problems.push(`${name} should be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`);
  return word ?? null;
}
