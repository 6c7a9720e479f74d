import express, { type Request, type Response, type Router } from "express";
import { z } from "zod";
import { moneyGiven, ownWords, problemsOf } from "../../../collection-api/contract/index.ts";
import { isRefusedData } from "../../../database/postgres-errors.ts";
import type { Secret } from "../../../kit/secret.ts";
import type { ApiKeys } from "../api/api-keys.ts";
import { REFUSALS } from "../api/refusals.ts";
import { sendRefusal } from "../api/send-answer.ts";
import { changeCollection, readCollection } from "../collection-statements.ts";
import { readDeliveryLog } from "../delivery-statements.ts";
import { EXPIRATION_PERIODS } from "../expiration-period.ts";
import { faultsSchema } from "../faults/faults.ts";
import { expireInvoice, insertInvoices } from "../invoice-statements.ts";
import { approveLinkedAccount, readLinkedAccounts } from "../linked-account-statements.ts";
import { pay } from "../pay.ts";
import type { ServiceContext } from "../service-context.ts";
import { controlGuard } from "./control-guard.ts";
import { pastInvoices, pastInvoicesRequest } from "./past-invoices.ts";

const byId = z.object({ id: z.guid("should be a UUID") });

const payRequest = z.strictObject({
  method: z.enum(["Card", "BankTransfer", "USSD", "BankBranch"]).default("Card"),
});

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
 * What a test or a person at this machine does to the service, apart from the API: faults, payments, the log of
 * deliveries, approvals. Mounted at `/_control`.
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
    const outcome = await pay(context, path.id, given.method);
    if (outcome === "unknown") return sendRefusal(response, REFUSALS.unknownInvoice("id names no invoice"));
    if (outcome === "not_payable")
      return sendRefusal(response, REFUSALS.notPayable("id names an invoice that is not unpaid"));
    response.json({ outcome });
  });
  router.post("/invoices/:id/expire", async (request, response) => {
    const path = read(byId, request.params, response);
    if (path === undefined) return;
    if (!(await expireInvoice(db, path.id)))
      return sendRefusal(response, REFUSALS.notPayable("id names no invoice that is unpaid"));
    response.json({ outcome: "expired" });
  });

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

/** The value, or undefined after a 400 that names each problem's field. */
function read<Schema extends z.ZodType>(
  schema: Schema,
  value: Request["body"],
  response: Response,
): z.output<Schema> | undefined {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  sendRefusal(response, REFUSALS.invalid(...problemsOf(result.error)));
  return undefined;
}
