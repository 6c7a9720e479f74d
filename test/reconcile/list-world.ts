import type { InvoicePage, ListedInvoice, PageRequest, Provider } from "../../src/provider/provider.ts";

/** An invoice as the provider knows it. */
export interface WorldInvoice {
  id: string;
  createdAt: Date;
  paidAt: Date | null;
  amount: string;
  /** Live, Test, or what no provider should say. */
  type: string | null;
  status?: string;
}

/** How one provider's list behaves: what the interface leaves open, and what no honest list would do. */
export interface Manner {
  datesMean: "creation" | "payment";
  zoneHours: number;
  includesFirst: boolean;
  includesLast: boolean;
  hidesTest: boolean;
  order: "newest" | "oldest" | "id";
  /** Items of one page at most, whatever is asked for. */
  cap: number;
  tellsPageSize: boolean;
  count: "told" | "missing" | "zero past the end" | "of the page" | "one too many" | "one too few";
  next: "told" | "missing" | "never" | "always";
  status: "told" | "missing" | "upper case";
  dates: "told" | "missing" | "empty" | "garbage" | "future";
  amounts: "told" | "missing";
  pastTheEnd: "empty" | "not found" | "last page";
  statusFilter: "kept" | "ignored" | "shows nothing";
  typeFilter: "kept" | "ignored";
  dateFilter: "kept" | "ignored" | "shows nothing";
  /** Pages from this one on are empty, are the first once more, or lose their first item. */
  from: number;
  pages: "whole" | "empty" | "repeated" | "one short";
  shuffles: boolean;
  /** Invoices leave the list, or come to it, while it is read: one with every so many pages; 0 for never. */
  leaves: number;
  joins: number;
  /** Only lists of this type show the invoice that is looked for. */
  shownIn: "as asked" | "Live" | "Test" | "any";
}

export const HONEST: Manner = {
  datesMean: "creation",
  zoneHours: 0,
  includesFirst: true,
  includesLast: true,
  hidesTest: false,
  order: "newest",
  cap: 3,
  tellsPageSize: true,
  count: "told",
  next: "told",
  status: "told",
  dates: "told",
  amounts: "told",
  pastTheEnd: "empty",
  statusFilter: "kept",
  typeFilter: "kept",
  dateFilter: "kept",
  from: 1,
  pages: "whole",
  shuffles: false,
  leaves: 0,
  joins: 0,
  shownIn: "as asked",
};

/** A provider account whose list has that manner, behind the port. */
export class ListWorld implements Provider {
  /** Ids that any page showed as paid, or without a status. */
  readonly shown = new Set<string>();
  readonly #known: readonly WorldInvoice[];
  readonly #invoices: WorldInvoice[];
  readonly #manner: Manner;
  readonly #victim: string | null;
  #random: number;
  #pages = 0;
  readonly #joined: WorldInvoice[] = [];

  constructor(invoices: readonly WorldInvoice[], manner: Manner, victim: string | null, seed: number) {
    this.#known = invoices;
    this.#invoices = [...invoices];
    this.#manner = manner;
    this.#victim = victim;
    this.#random = seed;
  }

  async askInvoice(id: string) {
    const found = this.#known.find((one) => one.id === id);
    if (found === undefined)
      return {
        kind: "not_found",
        inOwnWords: true,
        error: "Invoice with the given Id does not exist",
      } as const;
    const invoice = {
      id,
      status: statusOf(found),
      type: found.type,
      collectionName: "Term 1",
      amount: found.amount,
      paymentDate: found.paidAt?.toISOString() ?? null,
      dateCreated: found.createdAt.toISOString(),
    };
    return { kind: "found", invoice: invoice as never, document: {}, receivedAt: new Date() } as const;
  }

  async getCollection(id: string) {
    return { kind: "found", collection: { id, collectionName: "Term 1" } as never } as const;
  }

  async proveKey() {
    return { kind: "taken" } as const;
  }

  async close() {}

  async readPage(request: PageRequest) {
    const { count, next, pastTheEnd, cap, tellsPageSize, from, pages, leaves, joins } = this.#manner;
    this.#pages += 1;
    if (leaves > 0 && this.#pages % leaves === 0) this.#invoices.splice(this.#dice(this.#invoices.length), 1);
    if (joins > 0 && this.#pages % joins === 0 && this.#joined.length < 20) this.#join();
    const matching = this.#matching(request);
    const size = Math.min(request.pageSize, cap);
    const last = Math.max(1, Math.ceil(matching.length / size));
    const isPast = request.page > last;
    if (isPast && pastTheEnd === "not found")
      return { kind: "not_found", inOwnWords: false, error: "there is no such page" } as const;
    const number = isPast && pastTheEnd === "last page" ? last : request.page;
    let items = matching.slice((number - 1) * size, number * size);
    if (number >= from && pages === "empty") items = [];
    if (number >= from && pages === "repeated") items = matching.slice(0, size);
    if (number >= from && pages === "one short") items = items.slice(1);
    const total = {
      told: matching.length,
      missing: null,
      "zero past the end": isPast ? 0 : matching.length,
      "of the page": items.length,
      "one too many": matching.length + 1,
      "one too few": Math.max(0, matching.length - 1),
    }[count];
    const page: InvoicePage = {
      items: items.map((invoice) => this.#item(invoice)),
      page: request.page,
      pageSize: tellsPageSize ? size : null,
      totalCount: total,
      hasNextPage: { told: number < last, missing: null, never: false, always: true }[next],
      hasPreviousPage: null,
    };
    return { kind: "page", page } as const;
  }

  #matching({ startDate, endDate, invoiceStatus, invoiceType }: PageRequest): WorldInvoice[] {
    const manner = this.#manner;
    const isDated = startDate !== undefined && endDate !== undefined;
    if (isDated && manner.dateFilter === "shows nothing") return [];
    if (invoiceStatus !== undefined && manner.statusFilter === "shows nothing") return [];
    const matching = this.#invoices.filter((invoice) => {
      if (isDated && manner.dateFilter === "kept" && !this.#isWithin(invoice, startDate, endDate))
        return false;
      if (invoice.id === this.#victim && manner.shownIn !== "as asked") {
        if (manner.shownIn !== (invoiceType ?? "any")) return false;
      } else if (manner.typeFilter === "kept") {
        if (
          invoiceType === undefined
            ? manner.hidesTest && invoice.type === "Test"
            : invoiceType !== invoice.type
        )
          return false;
      }
      return (
        manner.statusFilter === "ignored" ||
        invoiceStatus === undefined ||
        invoiceStatus.toLowerCase() === statusOf(invoice).toLowerCase()
      );
    });
    const sign = manner.order === "newest" ? -1 : 1;
    matching.sort((a, b) =>
      manner.order === "id"
        ? a.id.localeCompare(b.id)
        : sign * (a.createdAt.getTime() - b.createdAt.getTime()) || a.id.localeCompare(b.id),
    );
    if (manner.shuffles)
      for (let n = matching.length - 1; n > 0; n -= 1) {
        const other = this.#dice(n + 1);
        [matching[n], matching[other]] = [matching[other] as WorldInvoice, matching[n] as WorldInvoice];
      }
    return matching;
  }

  #isWithin({ createdAt, paidAt }: WorldInvoice, first: string, last: string): boolean {
    const { datesMean, zoneHours, includesFirst, includesLast } = this.#manner;
    const moment = datesMean === "creation" ? createdAt : paidAt;
    if (moment === null) return false;
    const day = new Date(moment.getTime() + zoneHours * 3_600_000).toISOString().slice(0, 10);
    return (includesFirst ? day >= first : day > first) && (includesLast ? day <= last : day < last);
  }

  #item(invoice: WorldInvoice): ListedInvoice {
    const { status, dates, amounts } = this.#manner;
    const truth = statusOf(invoice);
    if (truth === "Paid") this.shown.add(invoice.id);
    const paidAt = invoice.paidAt?.toISOString() ?? null;
    return {
      id: invoice.id,
      title: "School fees",
      amount: amounts === "told" ? invoice.amount : null,
      status: { told: truth, missing: null, "upper case": ` ${truth.toUpperCase()} ` }[status],
      payerName: null,
      payerEmail: null,
      dateCreated: invoice.createdAt.toISOString(),
      datePaid: { told: paidAt, missing: null, empty: "", garbage: "soon", future: "2199-01-01T00:00:00Z" }[
        dates
      ],
    };
  }

  #join(): void {
    const invoice = freshInvoice(this.#pages);
    this.#joined.push(invoice);
    this.#invoices.push(invoice);
  }

  /** From 0 to below `sides`; the same row of numbers for the same seed. */
  #dice(sides: number): number {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * sides);
  }
}

const statusOf = ({ status, paidAt }: WorldInvoice) => status ?? (paidAt === null ? "Unpaid" : "Paid");

/** Paid this moment: of no period that is over. */
const freshInvoice = (n: number): WorldInvoice => ({
  id: `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`,
  createdAt: new Date(),
  paidAt: new Date(),
  amount: "1.00",
  type: "Live",
});
