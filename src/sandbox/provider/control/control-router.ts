import type { Request, RequestHandler } from "express";
import express, { type Router } from "express";
import { z } from "zod";
import { moneyGiven } from "../../../collection-api/contract/index.ts";
import type { Secret } from "../../../kit/secret.ts";
import type { ApiKeys } from "../api/api-keys.ts";
import { REFUSALS, sendRefusal } from "../api/refusals.ts";
import { changeCollection } from "../collection-statements.ts";
import { readDeliveryLog } from "../delivery-statements.ts";
import { faultsSchema } from "../faults/faults.ts";
import { EXPIRATION_PERIODS } from "../invoice-totals.ts";
import { approveLinkedAccount, readLinkedAccounts } from "../linked-account-statements.ts";
import type { ServiceContext } from "../service-context.ts";
import { byId, invoiceRoutes, read } from "./invoice-routes.ts";

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

/**
 * What a test or a person at this machine does to the service, apart from the API: faults, payments, the log
 * of deliveries, approvals. Mounted at `/_control`.
 */
export function controlRouter(context: ServiceContext, keys: ApiKeys, token: Secret | undefined): Router {
  const { db, faults } = context;
  const router = express.Router();
  router.use(controlGuard(token), express.json({ limit: "16mb", strict: false, type: () => true }));

  router.get("/faults", (_request, response) => void response.json(faults.current));
  router.put("/faults", (request, response) => {
    const given = read(faultsSchema, request.body, response);
    if (given === undefined) return;
    // As it was given: what it leaves out is the seed's.
    response.json(faults.replace(request.body));
  });
  router.delete("/faults", (_request, response) => {
    faults.reset();
    response.json(faults.current);
  });

  router.use(invoiceRoutes(context));
  router.get("/deliveries", async (request, response) => {
    const query = read(logQuery, request.query, response);
    if (query === undefined) return;
    const deliveries = await readDeliveryLog(db, { invoiceId: query.invoiceId ?? null, limit: query.limit });
    response.json({ deliveries });
  });

  router.get("/linked-accounts", async (_request, response) => {
    response.json({ linkedAccounts: await readLinkedAccounts(db) });
  });
  router.post("/linked-accounts/:id/approve", async (request, response) => {
    const path = read(byId, request.params, response);
    if (path === undefined) return;
    if (!(await approveLinkedAccount(db, path.id))) return sendRefusal(response, unknown("linked account"));
    response.json({ outcome: "approved" });
  });

  router.patch("/collections/:id", async (request, response) => {
    const path = read(byId, request.params, response);
    const given = path && read(collectionChange, request.body, response);
    if (path === undefined || given === undefined) return;
    if (Object.keys(given).length === 0)
      return sendRefusal(response, REFUSALS.invalid("The request is empty"));
    const change = {
      ...(given.collectionName !== undefined && { name: given.collectionName }),
      ...(given.status !== undefined && { status: given.status }),
      ...(given.amount !== undefined && { amount: given.amount }),
      ...(given.invoiceExpirationPeriod !== undefined && {
        invoice_expiration_period: given.invoiceExpirationPeriod,
      }),
      ...(given.paymentChannels !== undefined && { payment_channels: given.paymentChannels }),
      ...(given.serviceFeeBilling !== undefined && { service_fee_billing: given.serviceFeeBilling }),
    };
    if (!(await changeCollection(db, path.id, change))) return sendRefusal(response, unknown("collection"));
    response.json({ outcome: "changed" });
  });

  router.get("/api-keys", (_request, response) => void response.json({ apiKeys: keys.list() }));
  router.use((_request, response) => sendRefusal(response, REFUSALS.unknownPath()));
  return router;
}

const unknown = (what: string) => REFUSALS.unknownPath(`id names no ${what}`);

/**
 * Who may use the control side: with a token, whoever sends it as a bearer token; without one, callers on
 * this machine, but not a web page that happens to be open on it.
 */
export function controlGuard(token: Secret | undefined): RequestHandler {
  return (request, response, next) => {
    if (token !== undefined) {
      const [, given = ""] = /^Bearer (\S+)$/i.exec(request.get("authorization") ?? "") ?? [];
      if (token.equals(given)) return next();
      return sendRefusal(response, REFUSALS.unauthorized("authorization is missing or not valid"));
    }
    if (isLoopbackAddress(request.socket.remoteAddress) && !isFromWebPage(request)) return next();
    sendRefusal(response, REFUSALS.forbidden("The control side answers callers on this machine only"));
  };
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Another site's page, or one whose name was pointed at this machine: it carries an origin, or a foreign
 * host.
 */
function isFromWebPage(request: Request): boolean {
  const host = (request.get("host") ?? "").replace(/:\d+$/, "").toLowerCase();
  const isLocalName = host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
  return !isLocalName || request.get("origin") !== undefined;
}
