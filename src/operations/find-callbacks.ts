import { z } from "zod";
import { readStates, type ShownVerdict, shownVerdict } from "../pipeline/confirm/index.ts";
import {
  type CallbackFilters,
  decodeText,
  inflateBody,
  isOwnVerdict,
  type ListedCallback,
  listCallbacks,
  type OwnVerdict,
  readCallbackWhole,
  type WholeCallback,
} from "../pipeline/receive/index.ts";
import {
  type Database,
  type Page,
  type PagePosition,
  type PageSlice,
  walk,
} from "../platform/database/index.ts";
import { type Mask, personalMaskOf, type Role } from "../platform/values/index.ts";

import { bodyShown } from "./list/fields.ts";

type AnyVerdict = ShownVerdict | OwnVerdict;

type CallbackTerms = Omit<CallbackFilters, "verdict"> & { verdict?: AnyVerdict | undefined };

/** A callback with what came of it: the best verdict of its invoices, or its own. */
type DecidedCallback = Omit<ListedCallback, "verdict"> & { verdict: AnyVerdict | null };

/** How many callbacks one statement looks at; fewer where the invoices of each are looked up as well. */
const STRETCH = 5_000;
const JUDGED_STRETCH = 500;

/** How long one page goes on looking, in ms; it then says where to go on. */
const LOOKING_MS = 100;

/** The best first. */
const BEST: readonly ShownVerdict[] = [
  "paid",
  "quarantined",
  "pending",
  "dead",
  "not_paid",
  "invalidated",
  "unknown_invoice",
];

/** A page of the log of callbacks, the newest first. */
export async function findCallbacks(
  db: Database,
  terms: CallbackTerms,
  { from, limit }: { from: PagePosition | null; limit: number },
): Promise<Page<DecidedCallback>> {
  const { verdict, ...others } = terms;
  const own = isOwnVerdict(verdict) ? verdict : undefined;
  const wanted = isOwnVerdict(verdict) ? undefined : verdict;
  const isNarrowed =
    (others.source ?? others.foundBy ?? others.remoteAddress ?? others.reference) !== undefined;
  const most = wanted !== undefined ? JUDGED_STRETCH : isNarrowed ? STRETCH : limit + 1;
  const look = async (after: PagePosition | null): Promise<PageSlice<DecidedCallback>> => {
    const { found, end } = await listCallbacks(db, { ...others, verdict: own }, after, most);
    if (wanted === undefined) return { found, end };
    const asked: PageSlice<DecidedCallback>["found"] = found;
    return { found: (await judged(db, asked)).filter((one) => one.verdict === wanted), end };
  };
  const page = await walk({ from, limit, withinMs: LOOKING_MS, look });
  return wanted === undefined ? { ...page, items: await judged(db, page.items) } : page;
}

async function judged<Callback extends Pick<DecidedCallback, "source" | "invoiceIds" | "verdict">>(
  db: Database,
  callbacks: readonly Callback[],
): Promise<Callback[]> {
  const asking = callbacks.filter(({ verdict }) => verdict === null);
  const keys = asking.flatMap(({ source, invoiceIds }) =>
    invoiceIds.map((invoiceId) => ({ source, invoiceId })),
  );
  const verdicts = new Map(
    (await readStates(db, keys)).map((standing) => [
      `${standing.source} ${standing.invoiceId}`,
      shownVerdict(standing),
    ]),
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

/** One callback with everything that came, and how each of its ids was found; null when there is none. */
export async function showCallback(db: Database, id: string, reading: Reading) {
  const callback = await readCallbackWhole(db, id);
  if (callback === null) return null;
  const { source, invoiceIds, foundBy } = callback;
  const keys = invoiceIds.map((invoiceId) => ({ invoiceId, source }));
  const standings = new Map((await readStates(db, keys)).map((one) => [one.invoiceId, one]));
  const [best = callback] = await judged(db, [callback]);
  return {
    ...best,
    ...(await shownBody(callback, reading)),
    ids: invoiceIds.map((invoiceId) => {
      const standing = standings.get(invoiceId);
      return {
        invoiceId,
        foundBy,
        state: standing?.state ?? null,
        verdict: standing === undefined ? null : shownVerdict(standing),
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
 * A body without callback tokens. Where a token stands in plain bytes, those alone change. Where it is
 * compressed, the bytes that came cannot be shown: the masked text takes their place.
 */
export async function shownBody(
  { headers, body, erasedAt }: Pick<WholeCallback, "headers" | "body" | "erasedAt">,
  { mask, personal = (text) => text }: Reading,
): Promise<z.output<typeof shown>> {
  if (erasedAt !== null) return { body: "", bodyIs: "as_came", text: null };
  const contentEncoding =
    headers.findLast(([name]) => name.toLowerCase() === "content-encoding")?.[1] ?? null;
  const inflated = await inflateBody(body, contentEncoding);
  const plain = inflated === "too_large" ? body : inflated;
  const came = decodeText(plain);
  const hidden = (whole: string) => personal(mask(whole));
  const text = hidden(came);
  // A byte a letter: tokens are ASCII, so everything around them stays as it is.
  const bytes = Buffer.from(hidden(body.toString("latin1")), "latin1");
  if (text === came && bytes.equals(body)) return { body: body.toString("base64"), bodyIs: "as_came", text };
  if (plain === body && decodeText(bytes) === text)
    return { body: bytes.toString("base64"), bodyIs: "masked", text };
  return { body: Buffer.from(text).toString("base64"), bodyIs: "text", text };
}
