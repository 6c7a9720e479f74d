import express, { type Router } from "express";
import { z } from "zod";
import { isRefusedData } from "../../../kit/postgres-errors.ts";
import { REFUSALS } from "../api/refusals.ts";
import { sendRefusal } from "../api/send-answer.ts";
import { forgeCallback } from "../callbacks/forge-callback.ts";
import { readCollection } from "../collection-statements.ts";
import { type CallbackFaultsInput, callbackFaults } from "../faults/callback-faults.ts";
import { expireInvoice, insertInvoices, readInvoice } from "../invoice-statements.ts";
import { pay } from "../pay.ts";
import type { ServiceContext } from "../service-context.ts";
import { byId, read } from "./given.ts";
import { pastInvoices, pastInvoicesRequest } from "./past-invoices.ts";

const payRequest = z.strictObject({
  method: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).default("Card"),
  callback: callbackFaults.optional().describe("What goes wrong with this payment's callbacks only."),
});

/** What is done to invoices apart from the API: made with a past, paid, expired, claimed to be paid. */
export function invoiceRoutes(context: ServiceContext): Router {
  const { db } = context;
  const router = express.Router();

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
    if (!(await expireInvoice(db, path.id)))
      return sendRefusal(response, REFUSALS.notPayable("id names no invoice that is unpaid"));
    response.json({ outcome: "expired" });
  });
  return router;
}
