import type { z } from "zod";
import type { InvoiceFilter, OperationName, operations } from "../../../collection-api/contract/index.ts";
import { readBanks, readCollection, readCollectionOnWire } from "../collection-statements.ts";
import { createInvoice } from "../create-invoice.ts";
import type { Faults } from "../faults/faults.ts";
import { invalidateInvoice, invoiceOnWire, listedOnWire, readShownInvoice } from "../invoice-statements.ts";
import { linkAccount } from "../linked-account-statements.ts";
import { listInvoices } from "../list-invoices.ts";
import type { ApiKey } from "../load-seed.ts";
import { Refused } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ExtraQuery } from "./read-request.ts";

type Operations = typeof operations;

/** What the contract's schema for a part of the request reads; null where the operation has no such part. */
type Part<Name extends OperationName, Key extends string> =
  Operations[Name]["request"] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : null;

/** A request that was held against the contract, and who asks. */
interface ApiRequest<Name extends OperationName> {
  readonly path: Part<Name, "path">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly key: ApiKey;
  readonly extra: ExtraQuery;
}

type Data<Name extends OperationName> = Operations[Name] extends {
  data: { written: infer Schema extends z.ZodType };
}
  ? z.input<Schema>
  : undefined;

type Handlers = {
  readonly [Name in OperationName]: {
    /** Of the answer that says that it was done. */
    readonly message: string;
    /** @throws Refused */
    handle(context: ServiceContext, request: ApiRequest<Name>): Promise<Data<Name>>;
  };
};

const noCollection = () => new Refused("unknownCollection", "id names no collection");

/** What the service does for each operation of the contract. */
export const HANDLERS: Handlers = {
  getCollection: {
    message: "Collection retrieved successfully",
    async handle({ db }, { path }) {
      const collection = await readCollectionOnWire(db, path.id);
      if (collection === undefined) throw noCollection();
      return collection;
    },
  },

  listInvoices: {
    message: "Invoices retrieved successfully",
    async handle({ db, faults }, { path, query, extra }) {
      const { list: freedoms, limits } = faults.current;
      const problems: string[] = [];
      const status = readWord("invoiceStatus", ["Unpaid", "Paid", "Invalidated"], query, problems);
      const type = readWord("invoiceType", ["Live", "Test"], query, problems);
      const pageSize = readPageSize(query.pageSize, limits, problems);
      if (problems.length > 0) throw new Refused("invalid", ...problems);
      if ((await readCollection(db, path.id)) === undefined) throw noCollection();

      const { page = 1 } = query;
      const { rows, totalCount } = await listInvoices(db, {
        ...query,
        ...freedoms,
        collectionId: path.id,
        status,
        type: type ?? (freedoms.includesTest ? null : "Live"),
        linkedAccountId: extra.linkedAccountId,
        page,
        pageSize: extra.isDownloading ? null : pageSize,
      });
      const shownSize = extra.isDownloading ? Math.max(1, totalCount) : pageSize;
      return {
        items: rows.map(listedOnWire),
        page,
        pageSize: shownSize,
        totalCount,
        hasNextPage: page * shownSize < totalCount,
        hasPreviousPage: page > 1 && totalCount > 0,
      };
    },
  },

  createInvoice: {
    message: "Invoice created successfully",
    async handle({ db, publicUrl }, { body, key }) {
      return invoiceOnWire(await createInvoice(db, body, key), publicUrl);
    },
  },

  getInvoice: {
    message: "Invoice retrieved successfully",
    async handle({ db, publicUrl }, { path }) {
      const row = await readShownInvoice(db, path.id);
      if (row === undefined) throw new Refused("unknownInvoice", "id names no invoice");
      return invoiceOnWire(row, publicUrl);
    },
  },

  invalidateInvoice: {
    message: "Invoice invalidated successfully",
    async handle({ db }, { path, key }) {
      await invalidateInvoice(db, path.id, key.type === "Live" ? ["Live", "Test"] : ["Test"]);
    },
  },

  addLinkedAccount: {
    message: "Linked account added successfully, it is pending approval",
    async handle({ db, accountHolder }, { body, key }) {
      if (key.type === "Test") throw new Refused("wrongKind", "linkedAccount would receive Live settlements");
      await linkAccount(db, { ...body.linkedAccount, accountName: accountHolder });
    },
  },

  getBanks: {
    message: "Banks retrieved successfully",
    handle: ({ db }) => readBanks(db),
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
