import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../platform/database/index.ts";
import { type ConfirmationKey, readStates } from "../confirm/index.ts";
import { readCallback } from "../receive/index.ts";
import type { SelectedCallback } from "./select-callbacks.ts";

/** Invoices that callbacks name and that have no confirmation: not found on arrival, or lost since. */
export async function findUnopened(
  db: Database,
  callbacks: readonly SelectedCallback[],
): Promise<ConfirmationKey[]> {
  const named = new Map<string, ConfirmationKey>();
  for (const callback of callbacks) {
    const { source } = callback;
    for (const invoiceId of await idsIn(callback)) named.set(`${source} ${invoiceId}`, { invoiceId, source });
    // One callback a turn of the event loop: heavy ones in a row would hold up the whole process (G12).
    await nextTurn();
  }
  const keys = [...named.values()];
  for (const { source, invoiceId } of await readStates(db, keys)) named.delete(`${source} ${invoiceId}`);
  return [...named.values()];
}

/** The ids of the log, and those that today's reader finds; without those that were forgotten as unknown. */
async function idsIn(callback: SelectedCallback): Promise<string[]> {
  const header = (name: string) =>
    callback.headers.findLast(([key]) => key.toLowerCase() === name)?.[1] ?? null;
  const reading = await readCallback({
    ...callback,
    contentType: header("content-type"),
    contentEncoding: header("content-encoding"),
  });
  const read = reading.kind === "ids" ? reading.invoiceIds : [];
  return [...callback.foundIds, ...read].filter((id) => !callback.forgottenIds.includes(id));
}
