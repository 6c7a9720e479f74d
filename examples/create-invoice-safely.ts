// Create Invoice for programs that must not ask for the same money twice. The interface knows no idempotency
// key: when an answer is lost (`outcomeUnknown`), look for the invoice before you send it again. Give every
// invoice a `callBackUrl` with a reference of its own, by which it can be found again.
import { setTimeout as pause } from "node:timers/promises";
import { CollectionApiError, type CollectionClient, type Invoice, toUtc } from "invoice-relay/collection-api";

type Request = Parameters<CollectionClient["createInvoice"]>[0] & { callBackUrl: string };

export interface SafeCreateOptions {
  /** How long the provider may still be at work on a request whose answer was lost, in ms. */
  settleMs?: number;
  /** How often it is created anew, once nothing was found. */
  repeats?: number;
}

/**
 * @param request whose `callBackUrl` ends in a reference that is only this invoice's, such as the order's number.
 * @returns the invoice, whether this call made it or one whose answer was lost.
 */
export async function createInvoiceSafely(
  client: CollectionClient,
  request: Request,
  { settleMs = 30_000, repeats = 2 }: SafeCreateOptions = {},
): Promise<Invoice> {
  const startedAt = new Date();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (await client.createInvoice(request)).invoice;
    } catch (error) {
      if (!(error instanceof CollectionApiError) || !error.outcomeUnknown) throw error;
      await pause(settleMs);
      const found = await findCreated(client, request, startedAt);
      if (found !== undefined) return found;
      if (attempt >= repeats) throw error;
    }
  }
}

/** Among those of the same title created since: the one with this callBackUrl. */
export async function findCreated(
  client: CollectionClient,
  request: Request,
  since: Date,
): Promise<Invoice | undefined> {
  // A day earlier, since the list goes by days and nobody knows the provider's zone.
  const startDate = new Date(since.getTime() - 86_400_000).toISOString().slice(0, 10);
  const alike: Invoice[] = [];
  for (let page = 1; page > 0; ) {
    const { items, hasNextPage } = await client.listInvoices(request.collectionId, { startDate, page });
    for (const listed of items) {
      if (listed.title !== request.title || listed.payerEmail !== request.payerEmail) continue;
      const { invoice } = await client.getInvoice(listed.id);
      if (invoice.callBackUrl === request.callBackUrl) return invoice;
      alike.push(invoice);
    }
    page = hasNextPage === true ? page + 1 : 0;
  }
  // A provider that does not show callBackUrl: the title decides, as long as it can.
  const silent = alike.filter((invoice) => invoice.callBackUrl === null);
  const [only] = silent;
  if (only === undefined) return undefined;
  const createdAt = toUtc(only.dateCreated, "UTC")?.getTime() ?? 0;
  if (silent.length === 1 && createdAt > since.getTime() - 600_000) return only;
  throw new Error(
    `${silent.length} of the invoices called "${request.title}" show no callBackUrl: a person has to look.`,
  );
}
