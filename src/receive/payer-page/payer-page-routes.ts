import { type Response, Router } from "express";
import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";
import type { Secret } from "../../kit/secret.ts";
import { type PaymentState, receivedAt } from "../log/payment-state.ts";
import { unsealer } from "./page-seal.ts";
import { PAGES_PATH, payerPage } from "./payer-page.ts";
import { PAYER_PAGE_SCRIPT } from "./payer-page-script.ts";
import { PAYER_PAGE_STYLE } from "./payer-page-style.ts";
import { protectPage, sendPage } from "./send-page.ts";

/** A page ends after an hour: an address that leaked tells nothing for longer. */
const FOLLOWED_MS = 3_600_000;

/** How long the page looks busy; the script has the same figure. */
const BUSY_MS = 60_000;

/** However many pages are open, only this many query the database at once; the others try again later. */
const LOOKS_AT_ONCE = 4;

export interface PayerPageRoutesOptions {
  /** `paymentState` of a callback. */
  stateOf: (callbackId: string) => Promise<PaymentState | null>;
  /** Those of callbacks: a page's address is sealed with the one that its callback came with. */
  tokens: readonly Secret[];
  logger: Logger;
}

/**
 * `/payment-pages/{sealed id}` and its `/state`, for browsers that wait for a payment. The id is that of the
 * callback which the page answered, known to nobody else: an invoice's id or reference opens nothing here.
 */
export function payerPageRoutes({ stateOf, tokens, logger }: PayerPageRoutesOptions): Router {
  const router = Router();
  const unsealed = unsealer(tokens);
  let looks = 0;

  router.get(`${PAGES_PATH}/page.css`, (_request, response) => sendAsset(response, "css", PAYER_PAGE_STYLE));
  router.get(`${PAGES_PATH}/page.js`, (_request, response) => sendAsset(response, "js", PAYER_PAGE_SCRIPT));

  router.get(`${PAGES_PATH}/:sealed`, async (request, response) => {
    const { sealed } = request.params;
    const id = unsealed(sealed);
    const state = await look(id);
    const isLong = id !== null && ageMs(id) > BUSY_MS;
    response.status(STATUS[state]);
    sendPage(response, payerPage(state === "confirming" ? { state, sealedId: sealed, isLong } : { state }));
  });

  router.get(`${PAGES_PATH}/:sealed/state`, async (request, response) => {
    const state = await look(unsealed(request.params.sealed));
    protectPage(response);
    response.status(STATUS[state]).json({ state });
  });

  async function look(id: string | null): Promise<PaymentState | "gone" | "unrecorded"> {
    if (id === null || !isOpen(id)) return "gone";
    if (looks >= LOOKS_AT_ONCE) return "unrecorded";
    looks += 1;
    try {
      return (await stateOf(id)) ?? "gone";
    } catch (error) {
      logger.warn(faultOf(error), "a payer's page could not be told how its payment stands");
      return "unrecorded";
    } finally {
      looks -= 1;
    }
  }

  return router;
}

const STATUS = { confirming: 200, confirmed: 200, gone: 404, unrecorded: 503 } as const;

// An id of ours from the future was made before a clock was set back, or by a relay whose clock is ahead.
const isOpen = (id: string): boolean => ageMs(id) < FOLLOWED_MS;

const ageMs = (id: string): number => Date.now() - receivedAt(id).getTime();

function sendAsset(response: Response, type: "css" | "js", text: string): void {
  protectPage(response);
  response.setHeader("cache-control", "public, max-age=300");
  response.type(type).send(text);
}
