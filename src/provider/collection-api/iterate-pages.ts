import type { InvoicePage, ListedInvoice } from "./contract/invoice.ts";

/** How often a list that changed is read again from the start. */
const REREADS_LIMIT = 3;

/**
 * Yields each invoice of a list once, though the list may change while it is read. Pages are read forwards and then backwards: what slips from an unread page to a read one, as others
 * leave the list, is met on the way back. Where `totalCount` changes, or an invoice appears on a second page,
 * the list is read again from the start.
 * @param readPage reads page 1, 2, …
 * @param unstable what is thrown when it still changes after three more readings; what was yielded by then may
 *   not be all.
 */
export async function* iteratePages(
  readPage: (page: number) => Promise<InvoicePage>,
  unstable: () => Error,
): AsyncGenerator<ListedInvoice, void, undefined> {
  const yielded = new Set<string>();
  for (let reading = 0; reading <= REREADS_LIMIT; reading += 1) {
    if (yield* readThrough(readPage, yielded)) return;
  }
  throw unstable();
}

/** @returns whether the list stood still. */
async function* readThrough(
  readPage: (page: number) => Promise<InvoicePage>,
  yielded: Set<string>,
): AsyncGenerator<ListedInvoice, boolean, undefined> {
  const pageOf = new Map<string, number>();
  let totalCount: number | null | undefined;
  let step = 1;
  for (let page = 1; page >= 1; page += step) {
    const read = await readPage(page);
    totalCount ??= read.totalCount;
    let moved = read.totalCount !== totalCount;
    for (const invoice of read.items) {
      moved ||= (pageOf.get(invoice.id) ?? page) !== page;
      pageOf.set(invoice.id, page);
      if (yielded.has(invoice.id)) continue;
      yielded.add(invoice.id);
      yield invoice;
    }
    if (moved) return false;
    if (step === 1 && !hasNext(read, pageOf.size)) step = -1;
  }
  return true;
}

/** An empty page is the end. Without a next page or a total, pages are asked for until one is empty. */
function hasNext(page: InvoicePage, read: number): boolean {
  if (page.items.length === 0) return false;
  return page.hasNextPage ?? (page.totalCount === null || read < page.totalCount);
}
