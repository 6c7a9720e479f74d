import { z } from "zod";
import { readStates, type ShownVerdict, shownVerdict } from "../pipeline/confirm/index.ts";
import {
  type CallbackFilters,
  decodeText,
  type ListedCallback,
  listCallbacks,
  type OwnVerdict,
  readCallbackWhole,
  type WholeCallback,
} from "../pipeline/receive/index.ts";
import type { Database, Page, PageWanted } from "../platform/database/index.ts";
import { type Mask, personalMaskOf, type Role } from "../platform/values/index.ts";
import { bodyShown } from "./list/fields.ts";

type AnyVerdict = ShownVerdict | OwnVerdict;

/** A callback with what came of it: the best verdict of its invoices, or its own. */
type DecidedCallback = Omit<ListedCallback, "verdict"> & { verdict: AnyVerdict | null };

/** The best first. */
const BEST: readonly ShownVerdict[] = [
  ...(["paid", "quarantined", "pending", "dead", "not_paid", "invalidated", "unknown_invoice"] as const),
];

/** A page of the log of callbacks, the newest first. */
export async function findCallbacks(
  db: Database,
  filters: CallbackFilters,
  wanted: PageWanted,
): Promise<Page<DecidedCallback>> {
  const page = await listCallbacks(db, filters, wanted);
  return { ...page, items: await withVerdicts<DecidedCallback>(db, page.items) };
}

async function withVerdicts<Callback extends Pick<DecidedCallback, "source" | "invoiceIds" | "verdict">>(
  db: Database,
  callbacks: readonly Callback[],
): Promise<Callback[]> {
  const asking = callbacks.filter(({ verdict }) => verdict === null);
  const keys = asking.flatMap(({ source, invoiceIds }) =>
    invoiceIds.map((invoiceId) => ({ source, invoiceId })),
  );
  const verdicts = new Map(
    (await readStates(db, keys)).map((found) => [`${found.source} ${found.invoiceId}`, shownVerdict(found)]),
  );
  return callbacks.map((callback) => {
    if (callback.verdict !== null) return callback;
    const all = callback.invoiceIds.map((id) => verdicts.get(`${callback.source} ${id}`));
    // Only what the provider never knew is forgotten, a week after it was asked about.
    const isForgotten = all.length > 0 && all.every((one) => one === undefined);
    const best = BEST.find((one) => all.includes(one)) ?? null;
    return { ...callback, verdict: isForgotten ? "unknown_invoice" : best };
  });
}

/** Reads a callback with everything that came, and how each of its ids was found; null when it is unknown. */
export async function showCallback(db: Database, id: string, reading: Reading) {
  const callback = await readCallbackWhole(db, id);
  if (callback === null) return null;
  const { source, invoiceIds, foundBy } = callback;
  const keys = invoiceIds.map((invoiceId) => ({ invoiceId, source }));
  const states = new Map((await readStates(db, keys)).map((one) => [one.invoiceId, one]));
  const [best = callback] = await withVerdicts(db, [callback]);
  return {
    ...best,
    ...shownBody(callback, reading),
    ids: invoiceIds.map((invoiceId) => {
      const found = states.get(invoiceId);
      return {
        invoiceId,
        foundBy,
        state: found?.state ?? null,
        verdict: found === undefined ? null : shownVerdict(found),
      };
    }),
  };
}

export interface Reading {
  /** Takes callback tokens out of a text. */
  mask: Mask;
  /** Takes out what its reader may not see of people; everything is seen without it. */
  personal?: Mask;
}

export const readingFor = ({ mask, role }: { mask: Mask; role: Role }): Reading => ({
  mask,
  personal: personalMaskOf(role),
});

const shown = z.object(bodyShown);

/**
 * A body without callback tokens. Where masking the bytes does not mask the text alike, the masked text takes their
 * place.
 */
function shownBody(
  { body, erasedAt }: Pick<WholeCallback, "body" | "erasedAt">,
  { mask, personal = (text) => text }: Reading,
): z.output<typeof shown> {
  if (erasedAt !== null) return { body: "", bodyIs: "as_came", text: null };
  const came = decodeText(body);
  const hidden = (whole: string) => personal(mask(whole));
  const text = hidden(came);
  // A byte a letter: tokens are ASCII, so everything around them stays as it is.
  const bytes = Buffer.from(hidden(body.toString("latin1")), "latin1");
  if (text === came && bytes.equals(body)) return { body: body.toString("base64"), bodyIs: "as_came", text };
  if (decodeText(bytes) === text) return { body: bytes.toString("base64"), bodyIs: "masked", text };
  return { body: Buffer.from(text).toString("base64"), bodyIs: "text", text };
}
