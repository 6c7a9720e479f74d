import type { Kysely } from "kysely";
import { standingsOf } from "../confirmations/standings.ts";
import type { Tables } from "../database/tables.ts";
import { readCallbackWhole, type WholeCallback } from "../record/list-callbacks.ts";
import { readingsOf } from "../replay/callback-readings.ts";
import { judgedOne } from "./find-callbacks.ts";

/** The text that the reader of callbacks sees in the bytes of one; composed in. */
export type Decode = (request: { contentEncoding: string | null; body: Uint8Array }) => string;

/** One callback with everything that came, and how each of its ids was found; null when there is none. */
export async function showCallback(db: Kysely<Tables>, id: string, decode: Decode) {
  const callback = await readCallbackWhole(db, id);
  if (callback === null) return null;
  const readings = await readingsOf(db, id);
  const laterIds = readings.flatMap(({ invoiceIds }) => invoiceIds);
  const invoiceIds = [...new Set([...callback.invoiceIds, ...laterIds])];
  const { source } = callback;
  const standings = new Map(
    (
      await standingsOf(
        db,
        invoiceIds.map((invoiceId) => ({ invoiceId, source })),
      )
    ).map((one) => [one.invoiceId, one]),
  );
  const text = textOf(callback, decode);
  const plain = text?.toLowerCase() ?? "";
  return {
    ...(await judgedOne(db, callback)),
    body: callback.body.toString("base64"),
    text,
    ids: invoiceIds.map((invoiceId) => {
      const at = plain.indexOf(invoiceId);
      const standing = standings.get(invoiceId);
      return {
        invoiceId,
        foundBy: callback.invoiceIds.includes(invoiceId) ? callback.foundBy : "replay",
        at: at === -1 ? null : at,
        state: standing?.state ?? null,
        verdict: standing?.verdict ?? null,
      };
    }),
    readings,
  };
}

/** null once the callback is erased. */
export function textOf({ headers, body, erasedAt }: WholeCallback, decode: Decode): string | null {
  if (erasedAt !== null) return null;
  const encoding = headers.findLast(([name]) => name.toLowerCase() === "content-encoding")?.[1] ?? null;
  return decode({ contentEncoding: encoding, body });
}
