import express, { type ErrorRequestHandler, type Response, type Router } from "express";
import { messageOf } from "../../../kit/errors.ts";
import { isUuid } from "../../../kit/ids.ts";
import type { Logger } from "../../../kit/log.ts";
import { readInvoice } from "../invoice-statements.ts";
import { pay } from "../pay.ts";
import { refusalFor } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
import type { InvoiceRow } from "../service-tables.ts";
import {
  noSuchInvoicePage,
  offeredChannels,
  PAY_PAGE_STYLE,
  pageState,
  payPage,
  troublePage,
} from "./pay-page.ts";

/** The payer's page at `/pay/{id}`: works without JavaScript, and its policy allows none. */
export function payRouter(context: ServiceContext): Router {
  const router = express.Router();
  router.use("/pay", (_request, response, next) => {
    response.setHeader(
      "content-security-policy",
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    response.setHeader("cache-control", "no-store");
    next();
  });

  router.get("/pay/style.css", (_request, response) => {
    response.setHeader("cache-control", "public, max-age=300");
    response.type("css").send(PAY_PAGE_STYLE);
  });

  router.get("/pay/:id", ({ params }, response) => show(response, params.id));

  router.post(
    "/pay/:id",
    express.urlencoded({ extended: false, limit: "4kb" }),
    async (request, response) => {
      const { id } = request.params;
      if (request.get("sec-fetch-site") === "cross-site")
        return await show(response, id, 403, "Please pay on this page itself.");
      const invoice = await find(id);
      const wanted: unknown = request.body?.method;
      const method = invoice && offeredChannels(invoice).find((channel) => channel === wanted);
      if (invoice !== undefined && method === undefined && pageState(invoice) === "payable")
        return await show(response, id, 400, "Please choose how you would like to pay.");
      if (method !== undefined && (await pay(context, id, method)) === "paid")
        // A GET afterwards, so that reloading the page does not post again.
        return response.redirect(303, `/pay/${id.toLowerCase()}`);
      await show(response, id, 409);
    },
  );

  // Whoever looks at what is left is a person too.
  router.use("/pay", (_request, response) => sendPage(response, 404, noSuchInvoicePage()));
  router.use("/pay", pageForErrors(context.log));
  return router;

  async function find(id: string): Promise<InvoiceRow | undefined> {
    return isUuid(id) ? await readInvoice(context.db, id) : undefined;
  }

  async function show(response: Response, id: string, status = 200, notice: string | null = null) {
    const invoice = await find(id);
    if (invoice === undefined) return sendPage(response, 404, noSuchInvoicePage());
    const terms = { state: pageState(invoice), currency: context.currency, notice };
    sendPage(response, status, payPage(invoice, terms));
  }
}

function sendPage(response: Response, status: number, page: string): void {
  response.status(status).type("html").send(page);
}

/** A person looks at the answer: a page, where the API answers with JSON. */
function pageForErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    // An address that cannot be decoded is no invoice's.
    if (error instanceof URIError) return sendPage(response, 404, noSuchInvoicePage());
    const { status } = refusalFor(error).answer;
    if (status >= 500) log.error({ err: messageOf(error) }, "collection service: payer's page failed");
    sendPage(response, status, troublePage());
  };
}
