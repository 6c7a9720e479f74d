import type { Kysely } from "kysely";
import { type ToldVerdict, toldVerdict } from "../confirm/queue/confirmation.ts";
import { readStates } from "../confirm/queue/read-confirmations.ts";
import { type Page, type PagePosition, type PageSlice, walk } from "../database/page.ts";
import type { Tables } from "../database/tables.ts";
import { type CallbackFilters, type ListedCallback, listCallbacks } from "../receive/log/list-callbacks.ts";
import { isOwnVerdict, type OwnVerdict } from "../receive/log/own-verdict.ts";

type AnyVerdict = ToldVerdict | OwnVerdict;

export type CallbackTerms = Omit<CallbackFilters, "verdict"> & { verdict?: AnyVerdict | undefined };

/** A callback with what came of it: the best verdict of its invoices, or its own. */
export type JudgedCallback = Omit<ListedCallback, "verdict"> & { verdict: AnyVerdict | null };

/** How many callbacks one statement looks at; fewer where the invoices of each are looked up as well. */
const STRETCH = 5_000;
const JUDGED_STRETCH = 500;

/** How long one page goes on looking, in ms; it then says where to go on. */
const LOOKING_MS = 100;

/** The best first. */
const BEST: readonly ToldVerdict[] = [
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
  db: Kysely<Tables>,
  terms: CallbackTerms,
  { from, limit }: { from: PagePosition | null; limit: number },
): Promise<Page<JudgedCallback>> {
  const { verdict, ...others } = terms;
  const own = isOwnVerdict(verdict) ? verdict : undefined;
  const wanted = isOwnVerdict(verdict) ? undefined : verdict;
  const isNarrowed =
    (others.source ?? others.foundBy ?? others.remoteAddress ?? others.reference) !== undefined;
  const most = wanted !== undefined ? JUDGED_STRETCH : isNarrowed ? STRETCH : limit + 1;
  const look = async (after: PagePosition | null): Promise<PageSlice<JudgedCallback>> => {
    const { found, end } = await listCallbacks(db, { ...others, verdict: own }, after, most);
    if (wanted === undefined) return { found, end };
    const asked: PageSlice<JudgedCallback>["found"] = found;
    return { found: (await judged(db, asked)).filter((one) => one.verdict === wanted), end };
  };
  const page = await walk({ from, limit, withinMs: LOOKING_MS, look });
  return wanted === undefined ? { ...page, items: await judged(db, page.items) } : page;
}

async function judged<Callback extends Pick<JudgedCallback, "source" | "invoiceIds" | "verdict">>(
  db: Kysely<Tables>,
  callbacks: readonly Callback[],
): Promise<Callback[]> {
  const asking = callbacks.filter(({ verdict }) => verdict === null);
  const keys = asking.flatMap(({ source, invoiceIds }) =>
    invoiceIds.map((invoiceId) => ({ source, invoiceId })),
  );
  const verdicts = new Map(
    (await readStates(db, keys)).map((standing) => [
      `${standing.source} ${standing.invoiceId}`,
      toldVerdict(standing),
    ]),
  );
  return callbacks.map((callback) => {
    if (callback.verdict !== null) return callback;
    const all = callback.invoiceIds.map((id) => verdicts.get(`${callback.source} ${id}`));
    return { ...callback, verdict: BEST.find((one) => all.includes(one)) ?? null };
  });
}

/** `judged` for one callback. */
export const judgedOne = async <Callback extends Pick<JudgedCallback, "source" | "invoiceIds" | "verdict">>(
  db: Kysely<Tables>,
  callback: Callback,
): Promise<Callback> => (await judged(db, [callback]))[0] ?? callback;
