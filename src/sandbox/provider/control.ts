import { randomUUID } from "node:crypto";
import express, { type Request, type Router } from "express";
import { z } from "zod";
import { anyUuid } from "../../platform/config/index.ts";
import { isLoopback } from "../../platform/http/index.ts";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { moneyGiven } from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import {
  approveLinkedAccount,
  type CollectionRow,
  readCollection,
  readLinkedAccounts,
} from "./collections.ts";
import { forgeCallback } from "./deliveries.ts";
import { faultsSchema } from "./faults.ts";
import { insertInvoices, type NewInvoice, readInvoice } from "./invoice-statements.ts";
import { billingColumns, pay } from "./invoices.ts";
import { lifetimeMs } from "./seed.ts";
import type { ServiceContext } from "./service-context.ts";

const moment = z.iso.datetime({ error: "should be a UTC time such as 2024-05-01T10:00:00Z" });

const payRequest = z.strictObject({
  method: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).default("Card"),
  /** How often the callback is sent. */
  copies: z.int().min(0).max(20).default(1),
  /** How much later than the callback the API shows the payment. */
  readableAfterMs: z.int().min(0).default(0),
});

/** Invoices with a past, made at once and without callbacks, for reconciliation to find. */
const pastInvoicesRequest = z.strictObject({
  collectionId: anyUuid,
  invoices: z
    .array(
      z.strictObject({
        id: anyUuid.optional(),
        createdAt: moment.default(() => new Date().toISOString()),
        paidAt: moment.nullable().default(null),
        amount: moneyGiven.optional(),
        title: z.string().min(1).max(200).default("Past invoice"),
        callBackUrl: z.url().nullable().default(null),
      }),
    )
    .min(1)
    .max(20_000),
});

const byId = z.object({ id: z.guid("should be a UUID") });

/** The control routes at `/_control`, apart from the API, for callers on this machine. */
export function controlRouter(context: ServiceContext): Router {
  const { db, faults } = context;
  const router = express.Router();
  router.use(
    (request, _response, next) => {
      if (!isLoopback(request.socket.remoteAddress)) throw new Refused("notFromHere");
      next();
    },
    express.json({ limit: "16mb", type: () => true }),
  );

  router.put("/faults", (request, response) => {
    const given = read(faultsSchema, request.body);
    faults.replace(given);
    response.json(given);
  });

  router.post("/invoices", async (request, response) => {
    const given = read(pastInvoicesRequest, request.body);
    const collection = await readCollection(db, given.collectionId);
    if (collection === undefined) throw new Refused("unknownCollection", "collectionId names no collection");
    const invoices = given.invoices.map((invoice) => pastInvoice(invoice, collection));
    await insertInvoices(db, invoices);
    response.status(201).json({ ids: invoices.map(({ id }) => id) });
  });

  router.post("/invoices/:id/pay", async (request, response) => {
    const outcome = await pay(context, read(byId, request.params).id, read(payRequest, request.body ?? {}));
    if (outcome === "unknown") throw new Refused("unknownInvoice", "id names no invoice");
    if (outcome === "not_payable") throw new Refused("notPayable", "id names an invoice that is not unpaid");
    response.json({ outcome });
  });

  router.post("/invoices/:id/forge", async (request, response) => {
    const invoice = await readInvoice(db, read(byId, request.params).id);
    if (invoice === undefined) throw new Refused("unknownInvoice", "id names no invoice");
    response.json({ outcome: "forged", ...(await forgeCallback(invoice, context.publicUrl)) });
  });

  router.get("/deliveries", async (_request, response) => {
    const deliveries = await db
      .selectFrom("delivery")
      .selectAll()
      .orderBy("queued_at", "desc")
      .limit(1_000)
      .execute();
    response.json({ deliveries });
  });

  router.get("/linked-accounts", async (_request, response) => {
    response.json({ linkedAccounts: await readLinkedAccounts(db) });
  });
  router.post("/linked-accounts/:id/approve", async (request, response) => {
    if (!(await approveLinkedAccount(db, read(byId, request.params).id)))
      throw new Refused("unknownPath", "id names no linked account");
    response.json({ outcome: "approved" });
  });

  router.use(() => {
    throw new Refused("unknownPath");
  });
  return router;
}

/** Its row: paid where it says so, else unpaid and perhaps expired long ago. */
function pastInvoice(
  invoice: z.output<typeof pastInvoicesRequest>["invoices"][number],
  collection: CollectionRow,
): NewInvoice {
  const createdAt = new Date(invoice.createdAt);
  const paidAt = invoice.paidAt === null ? null : new Date(invoice.paidAt);
  return {
    id: invoice.id ?? randomUUID(),
    created_at: createdAt,
    modified_at: paidAt ?? createdAt,
    expires_at: new Date(createdAt.getTime() + lifetimeMs(collection.invoice_expiration_period)),
    paid_at: paidAt,
    ...billingColumns(collection, invoice.amount ?? collection.amount ?? "1500.50"),
    status: paidAt === null ? "Unpaid" : "Paid",
    type: "Live",
    payment_method: paidAt === null ? null : "Card",
    title: invoice.title,
    payer_name: "Ngozi Bello",
    payer_email: "ngozi.bello@example.com",
    payer_phone_number: null,
    callback_url: invoice.callBackUrl,
    biller_metadata: {},
    beneficiaries: null,
  };
}

/** @throws Refused that names each problem's field. */
function read<Schema extends z.ZodType>(schema: Schema, value: Request["body"]): z.output<Schema> {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  throw new Refused("invalid", ...problemsOf(result.error));
}
