import { distinctKeys } from "../confirmations/confirmation.ts";
import type { Asked } from "../confirmations/open.ts";
import { joinTraceparents } from "../confirmations/traceparents.ts";
import type { CallbackRow } from "./append-statements.ts";
import { senderOf } from "./sender-of.ts";

/** What callbacks of one commit ask for, each once; those that ask for the same are traced together. Pure. */
export function askOnce(rows: readonly CallbackRow[]): Asked[] {
  const asked = distinctKeys(rows.flatMap(askedBy));
  return rows.some(({ traceparent }) => traceparent !== null) ? asked.map((one) => traced(one, rows)) : asked;
}

const askedBy = ({ id, verdict, invoiceIds, source, remoteAddress, traceparent }: CallbackRow): Asked[] =>
  verdict === null
    ? invoiceIds.map((invoiceId) => ({
        ...{ invoiceId, source, sender: senderOf(remoteAddress), callbackId: id },
        traceparents: traceparent,
      }))
    : [];

function traced(asked: Asked, rows: readonly CallbackRow[]): Asked {
  const traceparents = rows.flatMap(({ verdict, source, invoiceIds, traceparent }) =>
    verdict === null &&
    traceparent !== null &&
    source === asked.source &&
    invoiceIds.includes(asked.invoiceId)
      ? [traceparent]
      : [],
  );
  return { ...asked, traceparents: joinTraceparents(traceparents) };
}
