import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import { answersOf, type KeptAnswer } from "../confirm/invoices/read-invoices.ts";
import type { Tables } from "../database/tables.ts";
import { eventsOf } from "../publish/read-events.ts";
import { callbacksNaming, type WholeCallback } from "../receive/log/list-callbacks.ts";
import { compareClaim } from "./compare-claim.ts";
import { type Reading, shownBody } from "./shown-body.ts";

const MOST_CLAIMS = 5;
const MOST_ANSWERS = 20;
/** Of claims, and of answers, in characters; the newest one of each is whole in any case. */
const MOST_CHARACTERS = 1024 ** 2;

/**
 * What callbacks claimed of an invoice, what the provider answered, and what was published: everything that a
 * person compares, personal data included. null when there is nothing.
 */
export async function readEvidence(db: Kysely<Tables>, invoiceId: string, reading: Reading) {
  const [callbacks, kept, events] = await Promise.all([
    callbacksNaming(db, invoiceId, MOST_CLAIMS),
    answersOf(db, invoiceId, MOST_ANSWERS),
    eventsOf(db, invoiceId),
  ]);
  if (callbacks.length + kept.length + events.length === 0) return null;
  const claims = [];
  for (const callback of callbacks) {
    claims.push(claimOf(callback, kept, invoiceId, reading));
    // Five large bodies in one turn would hold up everything else that this process does (G12).
    await nextTurn();
  }
  const shown = firstWithin(claims, ({ body, text }) => body.length + (text?.length ?? 0));
  const answers = firstWithin(kept, ({ document }) => document.length);
  return {
    invoiceId,
    claims: shown,
    answers,
    events,
    leftOut: { claims: claims.length - shown.length, answers: kept.length - answers.length },
  };
}

function claimOf(
  callback: WholeCallback,
  answers: readonly KeptAnswer[],
  invoiceId: string,
  reading: Reading,
) {
  const shown = shownBody(callback, reading);
  const answer = answers.find(({ source, newest }) => newest && source === callback.source);
  return {
    callbackId: callback.id,
    source: callback.source,
    receivedAt: callback.receivedAt,
    foundBy: callback.foundBy,
    invoiceIds: callback.invoiceIds,
    ...shown,
    erasedAt: callback.erasedAt,
    compared: shown.text === null ? [] : compareClaim(shown.text, answer?.document ?? null, invoiceId),
  };
}

/** As many of the first ones as fit together, and at least one. */
function firstWithin<One>(all: readonly One[], sizeOf: (one: One) => number): One[] {
  let size = 0;
  const end = all.findIndex((one, at) => {
    size += sizeOf(one);
    return at > 0 && size > MOST_CHARACTERS;
  });
  return end === -1 ? [...all] : all.slice(0, end);
}
