import { randomUUID } from "node:crypto";
import type { Request, Response, Router } from "express";
import { z } from "zod";
import { moneyGiven, ownWords, problemsOf } from "../../../collection-api/contract/index.ts";
import { isRefusedData } from "../../../kit/postgres-errors.ts";
import { anyUuid } from "../../../kit/setting-formats.ts";
import { REFUSALS, sendRefusal } from "../api/refusals.ts";
import { forgeCallback } from "../callbacks/send-callback.ts";
import { type CollectionRow, readCollection } from "../collection-statements.ts";
import { type CallbackFaultsInput, callbackFaults } from "../faults/faults.ts";
import { expireInvoice, insertInvoices, type NewInvoice, readInvoice } from "../invoice-statements.ts";
import { billingColumns, lifetimeMs } from "../invoice-totals.ts";
import { pay } from "../pay.ts";
import type { ServiceContext } from "../service-context.ts";

const payRequest = z.strictObject({
  method: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).default("Card"),
  callback: callbackFaults.optional().describe("What goes wrong with this payment's callbacks only."),
});

const moment = z.iso.datetime({ error: "should be a UTC time such as 2024-05-01T10:00:00Z" });

/** Invoices with a past, made at once and without callbacks: what reconciliation has to find. */
const pastInvoicesRequest = z.strictObject({
  collectionId: anyUuid,
  type: z.enum(["Live", "Test"]).default("Live"),
  invoices: z
    .array(
      z
        .strictObject({
          id: anyUuid.optional(),
          createdAt: moment,
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

/** What is done to invoices apart from the API: made with a past, paid, expired, claimed to be paid. */
export function addInvoiceRoutes(router: Router, context: ServiceContext): void {
  const { db } = context;

  router.post("/invoices", async (request, response) => {
    const given = read(pastInvoicesRequest, request.body, response);
    if (given === undefined) return;
    const collection = await readCollection(db, given.collectionId);
    if (collection === undefined)
      return sendRefusal(response, REFUSALS.unknownCollection("collectionId names no collection"));
    const invoices = pastInvoices(given, collection);
    try {
      await insertInvoices(db, invoices);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      return sendRefusal(response, REFUSALS.invalid("invoices holds an id that is taken"));
    }
    response.status(201).json({ ids: invoices.map((invoice) => invoice.id) });
  });

  router.post("/invoices/:id/pay", async (request, response) => {
    const path = read(byId, request.params, response);
    const given = path && read(payRequest, request.body ?? {}, response);
    if (path === undefined || given === undefined) return;
    // As it was given: what it leaves out is as the faults in force have it.
    const own: CallbackFaultsInput = request.body?.callback ?? {};
    const outcome = await pay(context, path.id, given.method, own);
    if (outcome === "unknown") return sendRefusal(response, REFUSALS.unknownInvoice("id names no invoice"));
    if (outcome === "not_payable")
      return sendRefusal(response, REFUSALS.notPayable("id names an invoice that is not unpaid"));
    response.json({ outcome });
  });

  router.post("/invoices/:id/forge", async (request, response) => {
    const path = read(byId, request.params, response);
    if (path === undefined) return;
    const invoice = await readInvoice(db, path.id);
    if (invoice === undefined) return sendRefusal(response, REFUSALS.unknownInvoice("id names no invoice"));
    if (invoice.callback_url === null)
      return sendRefusal(response, REFUSALS.ruleBroken("id names an invoice without a callBackUrl"));
    const answer = await forgeCallback(invoice, invoice.callback_url, context.publicUrl);
    response.json({ outcome: "forged", ...answer });
  });

  router.post("/invoices/:id/expire", async (request, response) => {
    const path = read(byId, request.params, response);
    if (path === undefined) return;
    if (await expireInvoice(db, path.id)) response.json({ outcome: "expired" });
    else sendRefusal(response, REFUSALS.notPayable("id names no invoice that is unpaid"));
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

export const byId = z.object({ id: z.guid("should be a UUID") });

/** The value, or undefined after a 400 that names each problem's field. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: Request["body"],
  response: Response,
): z.output<Schema> | undefined {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  sendRefusal(response, REFUSALS.invalid(...problemsOf(result.error)));
  return undefined;
}
