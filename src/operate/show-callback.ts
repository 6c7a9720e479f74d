import type { Kysely } from "kysely";
import { toldVerdict } from "../confirm/queue/confirmation.ts";
import { readStates } from "../confirm/queue/read-confirmations.ts";
import type { Tables } from "../database/tables.ts";
import { readCallbackWhole } from "../receive/log/list-callbacks.ts";
import { listReadings } from "../replay/callback-readings.ts";
import { judgedOne } from "./find-callbacks.ts";
import { type Reading, shownBody } from "./shown-body.ts";

/** One callback with everything that came, and how each of its ids was found; null when there is none. */
export async function showCallback(db: Kysely<Tables>, id: string, reading: Reading) {
  const callback = await readCallbackWhole(db, id);
  if (callback === null) return null;
  const readings = await listReadings(db, id);
  const laterIds = readings.flatMap(({ invoiceIds }) => invoiceIds);
  const invoiceIds = [...new Set([...callback.invoiceIds, ...laterIds])];
  const { source } = callback;
  const standings = new Map(
    (
      await readStates(
        db,
        invoiceIds.map((invoiceId) => ({ invoiceId, source })),
      )
    ).map((one) => [one.invoiceId, one]),
  );
  const shown = shownBody(callback, reading);
  const plain = shown.text?.toLowerCase() ?? "";
  return {
    ...(await judgedOne(db, callback)),
    ...shown,
    ids: invoiceIds.map((invoiceId) => {
      const at = plain.indexOf(invoiceId);
      const standing = standings.get(invoiceId);
      return {
        invoiceId,
        foundBy: callback.invoiceIds.includes(invoiceId) ? callback.foundBy : "replay",
        at: at === -1 ? null : at,
        state: standing?.state ?? null,
        verdict: standing === undefined ? null : toldVerdict(standing),
      };
    }),
    readings,
  };
}
