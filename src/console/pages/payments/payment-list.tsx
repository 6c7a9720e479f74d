import { signal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { TOLD_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { post } from "../api/client.ts";
import type { ListedInvoice } from "../api/types.ts";
import { usePages } from "../api/use-pages.ts";
import { query } from "../kit/router.tsx";
import { FirstCallback } from "../now/first-callback.tsx";
import { Badge } from "../parts/badge.tsx";
import { Id } from "../parts/copy.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { Icon } from "../parts/icon.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Told } from "../parts/told.tsx";
import { verdictFilter } from "../parts/verdicts.ts";

const FILTERS: readonly Filter[] = [
  verdictFilter(TOLD_VERDICTS),
  { name: "from", label: "Paid from (UTC)", kind: "date" },
  { name: "to", label: "Paid until (UTC)", kind: "date" },
  { name: "collection", label: "Collection", kind: "text" },
  { name: "source", label: "Source", kind: "text" },
];

const COLUMNS: readonly Column<ListedInvoice>[] = [
  {
    head: "Reference",
    cell: ({ reference, invoiceId }) =>
      reference === null ? <Id id={invoiceId} of="invoice" short /> : <Outside text={reference} />,
    phone: "lead",
  },
  {
    head: "Amount",
    cell: ({ totalAmount }) => <Money amount={totalAmount} />,
    kind: "number",
    phone: "side",
  },
  { head: "Verdict", cell: ({ verdict }) => <Badge state={verdict} /> },
  { head: "Event", cell: ({ event }) => <Badge state={event} /> },
  { head: "Paid", cell: ({ paidAt }) => <Time at={paidAt} /> },
  { head: "Collection", cell: ({ collection }) => <Outside text={collection} />, phone: "away" },
  { head: "Invoice", cell: ({ invoiceId }) => <Id id={invoiceId} of="invoice" short />, phone: "away" },
];

/** What was searched last. It may be somebody's e-mail address, so it never stands in the browser's address. */
const searched = signal("");

export function PaymentList() {
  const filters = Object.fromEntries(
    FILTERS.map(({ name }) => [name, query.value.get(name)]).filter(([, value]) => value !== null),
  );
  const key = JSON.stringify({ ...filters, ...(searched.value !== "" && { text: searched.value }) });
  const ask = useCallback(
    (cursor: string | null, signal?: AbortSignal) =>
      post("/invoices/search", { body: { ...JSON.parse(key), cursor: cursor ?? undefined } }, signal),
    [key],
  );
  const list = usePages(key, ask);
  const search = (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    searched.value = String(new FormData(event.currentTarget).get("text") ?? "").trim();
  };
  return (
    <>
      <PageHead title="Payments" />
      <form class="search" aria-label="Search payments" onSubmit={search}>
        <label class="field">
          <span class="unseen">Search payments</span>
          <input
            type="search"
            name="text"
            defaultValue={searched.peek()}
            placeholder="Invoice id, reference, e-mail, amount or day (2026-11-22)"
            autoComplete="off"
            spellcheck={false}
          />
          <Told text={searched.value} />
        </label>
        <button type="submit" class="button is-primary">
          <Icon name="search" />
          Search
        </button>
      </form>
      <FilterBar filters={FILTERS} label="Filters of payments" />
      <LongList
        list={list}
        what="payments"
        empty={
          key === "{}" ? (
            <FirstCallback />
          ) : (
            <Empty title="No payment is like this">
              <p>
                An e-mail address and a reference are compared whole. Take a filter away, or search for less.
              </p>
            </Empty>
          )
        }
      >
        {(items) => (
          <Table
            caption="Payments, the last confirmed first"
            columns={COLUMNS}
            rows={items}
            keyOf={({ source, invoiceId }) => `${source} ${invoiceId}`}
            to={({ invoiceId }) => `payments/${invoiceId}`}
          />
        )}
      </LongList>
    </>
  );
}
