import express, { type ErrorRequestHandler, type Response, type Router } from "express";
import { messageOf } from "../../../kit/errors.ts";
import { isUuid } from "../../../kit/ids.ts";
import type { Logger } from "../../../kit/log.ts";
import { readInvoice } from "../invoice-statements.ts";
import { pay } from "../pay.ts";
import { refusalFor } from "../refusals.ts";
import type { ServiceContext } from "../service-context.ts";
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

  router.get("/pay/:id", async (request, response) => {
    await show(response, request.params.id);
  });

  router.post(
    "/pay/:id",
    express.urlencoded({ extended: false, limit: "4kb" }),
    async (request, response) => {
      const { id } = request.params;
      if (request.get("sec-fetch-site") === "cross-site")
        return show(response, id, { status: 403, notice: "Please pay on this page itself." });
      const invoice = isUuid(id) ? await readInvoice(context.db, id) : undefined;
      if (invoice === undefined) return show(response, id);

      const wanted: unknown = request.body?.method;
      const method = offeredChannels(invoice).find((channel) => channel === wanted);
      if (method === undefined && pageState(invoice) === "payable")
        return show(response, id, { status: 400, notice: "Please choose how you would like to pay." });
      if (method !== undefined && (await pay(context, id, method)) === "paid") {
        // A GET afterwards, so that reloading the page does not post again.
        return response.redirect(303, `/pay/${id.toLowerCase()}`);
      }
      return show(response, id, { status: 409, notice: null });
    },
  );

  // Whoever looks at what is left is a person too.
  router.use(
    "/pay",
    (_request, response) => void response.status(404).type("html").send(noSuchInvoicePage()),
  );
  router.use("/pay", pageForErrors(context.log));

  async function show(
    response: Response,
    id: string,
    { status, notice }: { status: number; notice: string | null } = { status: 200, notice: null },
  ): Promise<void> {
    const invoice = isUuid(id) ? await readInvoice(context.db, id) : undefined;
    if (invoice === undefined) {
      response.status(404).type("html").send(noSuchInvoicePage());
      return;
    }
    response
      .status(status)
      .type("html")
      .send(payPage(invoice, { state: pageState(invoice), currency: context.currency, notice }));
  }

  return router;
}

/** A person looks at the answer: a page, where the API answers with JSON. */
function pageForErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { status } = refusalFor(error).answer;
    if (status >= 500) log.error({ err: messageOf(error) }, "collection service: payer's page failed");
    // An address that cannot be decoded is no invoice's.
    const unknown = error instanceof URIError;
    response
      .status(unknown ? 404 : status)
      .type("html")
      .send(unknown ? noSuchInvoicePage() : troublePage());
  };
}
