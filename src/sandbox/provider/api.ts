import { setTimeout as sleep } from "node:timers/promises";
import express, { type Request, type RequestHandler, type Response } from "express";
import type { z } from "zod";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import {
  type InvoiceFilter,
  invoiceFilter,
  type Operation,
  type OperationName,
  operations,
  parseExactJson,
} from "../../provider/index.ts";
import { needsNoWork, Refused, sendAnswer } from "./answers.ts";
import { linkAccount, readBanks, readCollection, readCollectionOnWire } from "./collections.ts";
import { invalidateInvoice, invoiceOnWire, listedOnWire, readShownInvoice } from "./invoice-statements.ts";
import { createInvoice, listInvoices } from "./invoices.ts";
import type { ApiKey } from "./load-seed.ts";
import type { ServiceContext } from "./service-context.ts";

/** The seven operations, each at its path of the contract. */
export function apiHandler(context: ServiceContext): RequestHandler {
  return async (request, response) => {
    const found = operationsAt(request.path);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const called = found.find(({ name }) => operations[name].method === method);
    if (called !== undefined) return await serve(context, called, request, response);
    if (found.length > 0) {
      response.setHeader("allow", found.map(({ name }) => operations[name].method).join(", "));
      throw new Refused("wrongMethod");
    }
    throw new Refused("unknownPath");
  };
}

/** @throws Refused */
async function serve(
  context: ServiceContext,
  { name, id }: FoundOperation,
  request: Request,
  response: Response,
): Promise<void> {
  const fault = context.faults.strike(name, id?.toLowerCase());
  if (fault !== undefined && fault.delayMs > 0) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault !== undefined && needsNoWork(fault.answer) && !fault.afterWork)
    return sendAnswer(response, 200, {}, fault.answer);

  // The key comes before the body: a caller without one learns nothing of its size.
  const key = context.keys.find(request.get("x-api-key"));
  if (key === undefined) throw new Refused("unauthorized", "x-api-key is missing or unknown");
  const operation: Operation = operations[name];
  await readBody(request, response);

  const read = readRequest(operation, { id, url: request.url, body: request.body });
  const { message, handle } = HANDLERS[name];
  // The name joins the handler with what its schemas read, which TypeScript does not follow.
  const answered = await handle(context, { ...read, key } as never);
  const data = operation.data?.written.parse(answered);
  const answer = { status: operation.envelopeStatus, message, data };
  sendAnswer(response, operation.status, answer, fault?.answer ?? "normal");
}

const BODY_LIMIT = 262_144;
const read = express.raw({ type: () => true, limit: BODY_LIMIT });

/** @throws Express' error for a body that is too large or cannot be unpacked. */
function readBody(request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    read(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

interface FoundOperation {
  readonly name: OperationName;
  /** As it stands in the path, percent signs included. */
  readonly id: string | undefined;
}

/**
 * The operations at a path, of any method; compared without case as the provider's SDK needs it (interface, part
 * B).
 * @param path without query.
 */
function operationsAt(path: string): FoundOperation[] {
  const parts = partsOf(path);
  return (Object.keys(operations) as OperationName[]).flatMap((name) => {
    const pattern = partsOf(operations[name].path);
    const fits = (part: string, nth: number) =>
      pattern[nth] === "{id}" ? part !== "" : pattern[nth]?.toLowerCase() === part.toLowerCase();
    if (pattern.length !== parts.length || !parts.every(fits)) return [];
    return { name, id: parts[pattern.indexOf("{id}")] };
  });
}

const partsOf = (path: string) => path.replace(/^\//, "").replace(/\/$/, "").split("/");

type Operations = typeof operations;

/** The type that the contract's schema for a part of the request reads; null where the operation has no such part. */
type Part<Name extends OperationName, Key extends string> =
  Operations[Name]["request"] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : null;

/** A request that matches the contract, and its key. */
interface ApiRequest<Name extends OperationName> {
  readonly path: Part<Name, "path">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly key: ApiKey;
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

/** The page size when left out. */
const PAGE_SIZE = 20;

const noCollection = () => new Refused("unknownCollection", "id names no collection");

/** The service's handler for each operation of the contract. */
const HANDLERS: Handlers = {
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
    async handle({ db }, { path, query }) {
      const problems: string[] = [];
      const status = readWord("invoiceStatus", ["Unpaid", "Paid", "Invalidated"], query, problems);
      const type = readWord("invoiceType", ["Live", "Test"], query, problems);
      if (problems.length > 0) throw new Refused("invalid", ...problems);
      if ((await readCollection(db, path.id)) === undefined) throw noCollection();

      const { page = 1, pageSize = PAGE_SIZE } = query;
      const { rows, totalCount } = await listInvoices(db, {
        ...query,
        collectionId: path.id,
        status,
        type,
        page,
        pageSize,
      });
      return {
        items: rows.map(listedOnWire),
        page,
        pageSize,
        totalCount,
        hasNextPage: page * pageSize < totalCount,
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

type Parts = Record<"path" | "query" | "body", unknown>;

/**
 * Holds path, query and body against the operation's schemas.
 * @param given as it came: `id` still encoded, the body's bytes.
 * @throws Refused with all problems at once, by the field's name.
 */
function readRequest(
  { request }: Operation,
  given: { id: string | undefined; url: string; body: unknown },
): Parts {
  const problems: string[] = [];
  const parts: Parts = { path: null, query: null, body: null };
  const hold = (part: keyof Parts, value: unknown) => {
    const result = request[part]?.safeParse(value, { error: ownWords });
    if (result?.success) parts[part] = result.data;
    else if (result !== undefined) problems.push(...problemsOf(result.error));
  };
  hold("path", request.path && { id: decodeURIComponent(given.id ?? "") });
  if (request.query !== undefined) hold("query", readQuery(given.url, problems));
  if (request.body !== undefined) {
    const before = problems.length;
    const body = readJson(given.body, problems);
    if (problems.length === before) hold("body", body);
  }
  if (problems.length > 0) throw new Refused("invalid", ...problems);
  return parts;
}

const FILTER_NAMES = Object.keys(invoiceFilter.shape);

/** The query by name, without case, as the provider's SDK needs it (interface, part B); empty values are left out. */
function readQuery(url: string, problems: string[]): Record<string, string> {
  const query: Record<string, string> = {};
  const seen = new Set<string>();
  const start = url.indexOf("?");
  for (const [written, value] of new URLSearchParams(start < 0 ? "" : url.slice(start + 1))) {
    const name = FILTER_NAMES.find((one) => one.toLowerCase() === written.toLowerCase());
    if (name === undefined)
      problems.push(`${showName(written)} is not taken: the list takes ${FILTER_NAMES.join(", ")}`);
    if (name === undefined || value === "") continue;
    if (seen.has(name)) problems.push(`${name} is given more than once`);
    seen.add(name);
    query[name] = value;
  }
  return query;
}

/** A name from a request, as it may stand in an answer. */
const showName = (name: string) => (/^[\w.[\]-]{1,50}$/.test(name) ? name : "A parameter of the query");

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body's JSON, read without a byte order mark; undefined where there is none. */
function readJson(body: unknown, problems: string[]): unknown {
  try {
    const text = Buffer.isBuffer(body) ? UTF8.decode(body) : "";
    return text.trim() === "" ? undefined : parseExactJson(text);
  } catch {
    problems.push("The request's body is not JSON in UTF-8");
    return undefined;
  }
}
