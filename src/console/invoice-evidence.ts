import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { eventsOf } from "../outbox/events-of.ts";
import { answersOf } from "../payments/answers-of.ts";
import { callbacksNaming } from "../record/list-callbacks.ts";
import { compareClaim } from "./compare-claim.ts";
import { type Decode, textOf } from "./show-callback.ts";

const MOST_CLAIMS = 5;
const MOST_ANSWERS = 20;

/**
 * What callbacks claimed of an invoice, what the provider answered, and what was published: everything that a
 * person compares, personal data included. null when there is nothing.
 */
export async function readEvidence(db: Kysely<Tables>, invoiceId: string, decode: Decode) {
  const [callbacks, answers, events] = await Promise.all([
    callbacksNaming(db, invoiceId, MOST_CLAIMS),
    answersOf(db, invoiceId, MOST_ANSWERS),
    eventsOf(db, invoiceId),
  ]);
  if (callbacks.length + answers.length + events.length === 0) return null;
  return {
    invoiceId,
    claims: callbacks.map((callback) => {
      const text = textOf(callback, decode);
      const answer = answers.find(({ source, newest }) => newest && source === callback.source);
      return {
        callbackId: callback.id,
        source: callback.source,
        receivedAt: callback.receivedAt,
        foundBy: callback.foundBy,
        invoiceIds: callback.invoiceIds,
        body: callback.body.toString("base64"),
        text,
        erasedAt: callback.erasedAt,
        compared: text === null ? [] : compareClaim(text, answer?.document ?? null, invoiceId),
      };
    }),
    answers,
    events,
  };
}
