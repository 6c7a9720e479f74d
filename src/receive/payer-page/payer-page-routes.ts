import { type Response, Router } from "express";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { type PaymentState, receivedAt } from "../../record/payment-state.ts";
import { PAGES_PATH, payerPage } from "./payer-page.ts";
import { PAYER_PAGE_SCRIPT } from "./payer-page-script.ts";
import { PAYER_PAGE_STYLE } from "./payer-page-style.ts";
import { protectPage, sendPage } from "./send-page.ts";

/** A page ends after an hour: an address that leaked tells nothing for longer. */
const FOLLOWED_MS = 3_600_000;

/** How long the page looks busy; the script has the same figure. */
const BUSY_MS = 60_000;

/** Clocks of two relays may differ by this much. */
const SKEW_MS = 60_000;

/** However many pages are open, only this many query the database at once; the others try again later. */
const LOOKS_AT_ONCE = 4;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface PayerPageRoutesOptions {
  /** `paymentState` of a callback. */
  stateOf: (callbackId: string) => Promise<PaymentState | null>;
  logger: Logger;
}

/**
 * `/payment-pages/{id}` and its `/state`, for browsers that wait for a payment. The id is that of the
 * callback which the page answered, known to nobody else: an invoice's id or reference opens nothing here.
 */
export function payerPageRoutes({ stateOf, logger }: PayerPageRoutesOptions): Router {
  const router = Router();
  let looks = 0;

  router.get(`${PAGES_PATH}/page.css`, (_request, response) => sendAsset(response, "css", PAYER_PAGE_STYLE));
  router.get(`${PAGES_PATH}/page.js`, (_request, response) => sendAsset(response, "js", PAYER_PAGE_SCRIPT));

  router.get(`${PAGES_PATH}/:id`, async (request, response) => {
    const { id } = request.params;
    const state = await look(id);
    response.status(STATUS[state]);
    sendPage(
      response,
      payerPage(state === "confirming" ? { state, id, isLong: ageMs(id) > BUSY_MS } : { state }),
    );
  });

  router.get(`${PAGES_PATH}/:id/state`, async (request, response) => {
    const state = await look(request.params.id);
    protectPage(response);
    response.status(STATUS[state]).json({ state });
  });

  async function look(id: string): Promise<PaymentState | "gone" | "unrecorded"> {
    if (!isOpen(id)) return "gone";
    if (looks >= LOOKS_AT_ONCE) return "unrecorded";
    looks += 1;
    try {
      return (await stateOf(id)) ?? "gone";
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "a payer's page could not be told how its payment stands");
      return "unrecorded";
    } finally {
      looks -= 1;
    }
  }

  return router;
}

const STATUS = { confirming: 200, confirmed: 200, gone: 404, unrecorded: 503 } as const;

function isOpen(id: string): boolean {
  if (!UUID_V7.test(id)) return false;
  const age = ageMs(id);
  return age > -SKEW_MS && age < FOLLOWED_MS;
}

const ageMs = (id: string): number => Date.now() - receivedAt(id).getTime();

function sendAsset(response: Response, type: "css" | "js", text: string): void {
  protectPage(response);
  response.setHeader("cache-control", "public, max-age=300");
  response.type(type).send(text);
}
