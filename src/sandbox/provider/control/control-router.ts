import express, { type Request, type RequestHandler, type Router } from "express";
import { z } from "zod";
import { moneyGiven } from "../../../collection-api/contract/index.ts";
import { isLoopback, isLoopbackHost } from "../../../kit/addresses.ts";
import { changeCollection } from "../collection-statements.ts";
import { readDeliveryLog } from "../delivery-statements.ts";
import { faultsSchema } from "../faults/faults.ts";
import { EXPIRATION_PERIODS } from "../invoice-totals.ts";
import { approveLinkedAccount, readLinkedAccounts } from "../linked-account-statements.ts";
import { Refused } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
import { addInvoiceRoutes, byId, read } from "./invoice-routes.ts";

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

/** What is done to the service apart from the API: faults, payments, deliveries, approvals, at `/_control`. */
export function controlRouter(context: ServiceContext): Router {
  const { db, faults } = context;
  const router = express.Router();
  router.use(guardControl, express.json({ limit: "16mb", strict: false, type: () => true }));

  router.get("/faults", (_request, response) => void response.json(faults.current));
  router.put("/faults", (request, response) => {
    read(faultsSchema, request.body);
    // As it was given: what it leaves out is the seed's.
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
    // What is left out is undefined here, and stays as it is.
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
