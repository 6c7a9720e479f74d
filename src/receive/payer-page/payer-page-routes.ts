import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type Response, Router } from "express";
import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";
import type { Secret } from "../../kit/secret.ts";
import type { PaymentState } from "../log/callbacks-about.ts";
import { receivedAt } from "../log/list-callbacks.ts";
import { PAGES_PATH, payerPage, protectPage, sendPage } from "./payer-page.ts";
import { PAYER_PAGE_SCRIPT, PAYER_PAGE_STYLE } from "./payer-page-assets.ts";

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

/** A callback's id, a UUIDv7, and its seal. */
const SEALED = /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.([\w-]{22})$/;

/** Enough that nobody guesses one. */
const SEAL_BYTES = 16;

/**
 * The end of a page's address: the id of the callback that the page answers, sealed with a key derived from
 * the token that the callback came with. So every process that takes that token opens the page, and what
 * nobody gave out is told from it without asking Postgres.
 */
export const sealedId = (id: string, token: Secret): string => `${id}.${sealOf(id, keyOf(token))}`;

/** @returns reads the id in what one of `tokens` sealed; null for anything else. */
function unsealer(tokens: readonly Secret[]): (sealed: string) => string | null {
  const keys = tokens.map(keyOf);
  return (sealed) => {
    const [, id = "", seal = ""] = SEALED.exec(sealed) ?? [];
    if (id === "") return null;
    const given = Buffer.from(seal);
    return keys.some((key) => timingSafeEqual(Buffer.from(sealOf(id, key)), given)) ? id : null;
  };
}

const keyOf = (token: Secret): Buffer =>
  Buffer.from(hkdfSync("sha256", token.reveal(), "", "invoice-relay payer page v1", 32));

const sealOf = (id: string, key: Buffer): string =>
  createHmac("sha256", key).update(id).digest().subarray(0, SEAL_BYTES).toString("base64url");
