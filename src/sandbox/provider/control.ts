import { randomUUID } from "node:crypto";
import express, { type Request, type RequestHandler, type Router } from "express";
import { z } from "zod";
import { anyUuid } from "../../platform/config/index.ts";
import { isRefusedData, takenKeyOf } from "../../platform/errors/index.ts";
import { isLoopback, isLoopbackHost } from "../../platform/http/index.ts";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { moneyGiven } from "../../provider/index.ts";
import { Refused } from "./answers.ts";
import {
  approveLinkedAccount,
  type CollectionRow,
  changeCollection,
  readCollection,
  readLinkedAccounts,
} from "./collections.ts";
import { forgeCallback, readDeliveryLog } from "./deliveries.ts";
import { type CallbackFaultsInput, callbackFaults, faultsSchema } from "./faults.ts";
import { expireInvoice, insertInvoices, type NewInvoice, readInvoice } from "./invoice-statements.ts";
import { billingColumns, pay } from "./invoices.ts";
import { EXPIRATION_PERIODS, lifetimeMs } from "./seed.ts";
import type { ServiceContext } from "./service-context.ts";

const collectionChange = z
  .strictObject({
    collectionName: z.string().min(1).max(200),
    status: z.enum(["Active", "Pending", "Disabled", "Suspended", "Blocked"]),
    amount: moneyGiven.nullable(),
    invoiceExpirationPeriod: z.enum(EXPIRATION_PERIODS),
    paymentChannels: z.array(z.enum(["Card", "BankTransfer", "USSD", "BankBranch"])).min(1),
    serviceFeeBilling: z.enum(["Payer", "Merchant"]),
  })
  .partial();

const logQuery = z.object({
  invoiceId: z.guid("should be a UUID").optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
});

/** The control routes at `/_control`, apart from the API: faults, payments, deliveries, approvals. */
export function controlRouter(context: ServiceContext): Router {
  const { db, faults } = context;
  const router = express.Router();
  router.use(guardControl, express.json({ limit: "16mb", strict: false, type: () => true }));

  router.get("/faults", (_request, response) => void response.json(faults.current));
  router.put("/faults", (request, response) => {
    read(faultsSchema, request.body);
    // As it was given: its missing fields are the seed's.
    response.json(faults.replace(request.body));
  });
  router.delete("/faults", (_request, response) => void response.json(faults.replace({})));

  addInvoiceRoutes(router, context);
  router.get("/deliveries", async (request, response) => {
    const { invoiceId = null, limit } = read(logQuery, request.query);
    response.json({ deliveries: await readDeliveryLog(db, { invoiceId, limit }) });
  });

  router.get("/linked-accounts", async (_request, response) => {
    response.json({ linkedAccounts: await readLinkedAccounts(db) });
  });
  router.post("/linked-accounts/:id/approve", async (request, response) => {
    if (!(await approveLinkedAccount(db, read(byId, request.params).id)))
      throw new Refused("unknownPath", "id names no linked account");
    response.json({ outcome: "approved" });
  });

  router.patch("/collections/:id", async (request, response) => {
    const { id } = read(byId, request.params);
    const given = read(collectionChange, request.body);
    if (Object.keys(given).length === 0) throw new Refused("invalid", "The request is empty");
    // Missing fields are undefined here, and stay as they are.
    const change = {
      name: given.collectionName,
      status: given.status,
      amount: given.amount,
      invoice_expiration_period: given.invoiceExpirationPeriod,
      payment_channels: given.paymentChannels,
      service_fee_billing: given.serviceFeeBilling,
    };
    if (!(await changeCollection(db, id, change))) throw new Refused("unknownPath", "id names no collection");
    response.json({ outcome: "changed" });
  });

  router.use(() => {
    throw new Refused("unknownPath");
  });
  return router;
}

/** Callers on this machine, but no web page that is open on it. */
const guardControl: RequestHandler = (request, _response, next) => {
  if (!isLoopback(request.socket.remoteAddress) || isFromWebPage(request)) throw new Refused("notFromHere");
  next();
};

/** Another site's page, or one whose name was pointed at this machine: it carries an origin, or a foreign host. */
function isFromWebPage(request: Request): boolean {
  const host = (request.get("host") ?? "").replace(/:\d+$/, "");
  return !isLoopbackHost(host) || request.get("origin") !== undefined;
}

const payRequest = z.strictObject({
  method: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).default("Card"),
  callback: callbackFaults.optional().describe("Faults of this payment's callbacks only."),
});

const moment = z.iso.datetime({ error: "should be a UTC time such as 2024-05-01T10:00:00Z" });

/** Invoices with a past, made at once and without callbacks, for reconciliation to find. */
const pastInvoicesRequest = z.strictObject({
  collectionId: anyUuid,
  type: z.enum(["Live", "Test"]).default("Live"),
  invoices: z
    .array(
      z
        .strictObject({
          id: anyUuid.optional(),
          createdAt: moment.default(() => new Date().toISOString()),
          paidAt: moment.nullable().default(null),
          amount: moneyGiven.optional(),
          title: z.string().min(1).max(200).default("Past invoice"),
          callBackUrl: z.url().max(2_048).nullable().default(null),
          method: z.enum(["Card", "BankTransfer"]).default("Card"),
        })
        .refine(({ createdAt, paidAt }) => paidAt === null || Date.parse(paidAt) >= Date.parse(createdAt), {
          path: ["paidAt"],
          error: "should not be before createdAt",
        }),
    )
    .min(1)
    .max(20_000),
});

/** Routes that change invoices apart from the API: made with a past, paid, expired, claimed to be paid. */
function addInvoiceRoutes(router: Router, context: ServiceContext): void {
  const { db } = context;

  router.post("/invoices", async (request, response) => {
    const given = read(pastInvoicesRequest, request.body);
    const collection = await readCollection(db, given.collectionId);
    if (collection === undefined) throw new Refused("unknownCollection", "collectionId names no collection");
    const invoices = pastInvoices(given, collection);
    try {
      await insertInvoices(db, invoices);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      const what = takenKeyOf(error) === "" ? "what Postgres cannot keep" : "an id that is taken";
      throw new Refused("invalid", `invoices holds ${what}`);
    }
    response.status(201).json({ ids: invoices.map((invoice) => invoice.id) });
  });

  router.post("/invoices/:id/pay", async (request, response) => {
    const { id } = read(byId, request.params);
    const { method } = read(payRequest, request.body ?? {});
    // As it was given: the faults in force fill its missing fields.
    const own: CallbackFaultsInput = request.body?.callback ?? {};
    const outcome = await pay(context, id, method, own);
    if (outcome === "unknown") throw new Refused("unknownInvoice", "id names no invoice");
    if (outcome === "not_payable") throw new Refused("notPayable", "id names an invoice that is not unpaid");
    response.json({ outcome });
  });

  router.post("/invoices/:id/forge", async (request, response) => {
    const invoice = await readInvoice(db, read(byId, request.params).id);
    if (invoice === undefined) throw new Refused("unknownInvoice", "id names no invoice");
    if (invoice.callback_url === null)
      throw new Refused("ruleBroken", "id names an invoice without a callBackUrl");
    const answer = await forgeCallback(invoice, invoice.callback_url, context.publicUrl);
    response.json({ outcome: "forged", ...answer });
  });

  router.post("/invoices/:id/expire", async (request, response) => {
    if (!(await expireInvoice(db, read(byId, request.params).id)))
      throw new Refused("notPayable", "id names no invoice that is unpaid");
    response.json({ outcome: "expired" });
  });
}

/** The rows for them: paid where they say so, else unpaid and perhaps expired long ago. */
function pastInvoices(
  { type, invoices }: z.output<typeof pastInvoicesRequest>,
  collection: CollectionRow,
): NewInvoice[] {
  return invoices.map((invoice) => {
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
      type,
      payment_method: paidAt === null ? null : invoice.method,
      title: invoice.title,
      payer_name: "Ngozi Bello",
      payer_email: "ngozi.bello@example.com",
      payer_phone_number: null,
      callback_url: invoice.callBackUrl,
      biller_metadata: {},
      beneficiaries: null,
    };
  });
}

const byId = z.object({ id: z.guid("should be a UUID") });

/** @throws Refused that names each problem's field. */
function read<Schema extends z.ZodType>(schema: Schema, value: Request["body"]): z.output<Schema> {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  throw new Refused("invalid", ...problemsOf(result.error));
}
