import { distinctKeys } from "../../confirm/queue/confirmation.ts";
import type { Asked } from "../../confirm/queue/open.ts";
import { joinTraceparents } from "../../confirm/queue/open.ts";
import { networkOf } from "../../kit/network-of.ts";
import type { CallbackRow } from "./append-statements.ts";

/** What callbacks of one commit ask for, each once; those that ask for the same are traced together. Pure. */
export function askOnce(rows: readonly CallbackRow[]): Asked[] {
  const all = rows.flatMap(askedBy);
  const asked = distinctKeys(all);
  return rows.some(({ traceparent }) => traceparent !== null) ? tracedTogether(asked, all) : asked;
}

const askedBy = ({ id, verdict, invoiceIds, source, remoteAddress, traceparent }: CallbackRow): Asked[] =>
  verdict === null
    ? invoiceIds.map((invoiceId) => ({
        ...{ invoiceId, source, sender: remoteAddress && networkOf(remoteAddress), callbackId: id },
        traceparents: traceparent,
      }))
    : [];

/** @param all before they were made distinct, each with its own callback's. */
function tracedTogether(asked: readonly Asked[], all: readonly Asked[]): Asked[] {
  const keyOf = ({ invoiceId, source }: Asked) => `${invoiceId} ${source}`;
  const byKey = Map.groupBy(
    all.filter(({ traceparents }) => traceparents !== null),
    keyOf,
  );
  return asked.map((one) => {
    const own = (byKey.get(keyOf(one)) ?? []).map(({ traceparents }) => traceparents ?? "");
    return { ...one, traceparents: joinTraceparents(own) };
  });
}
