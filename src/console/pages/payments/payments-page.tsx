import { signal } from "@preact/signals";
import { SHOWN_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { post } from "../api/client.ts";
import type { ListedInvoice } from "../api/types.ts";
import { moneyField, stateField, textField, timeField } from "../parts/fields.tsx";
import { choicesOf } from "../parts/filters.tsx";
import { FirstCallback } from "../parts/first-callback.tsx";
import { Icon } from "../parts/icon.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { PageHead } from "../parts/page.tsx";
import { HiddenShown, PaymentName, ShortId } from "../parts/values.tsx";
import { PaymentPage } from "./payment-page.tsx";

/** The list, or one payment's story. */
export const PaymentsPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id === undefined ? <Payments /> : <PaymentPage id={id} key={id} />;

const PAYMENTS: ListDefinition<ListedInvoice> = {
  what: "payments",
  caption: "Payments, the last confirmed first",
  filters: [
    { name: "verdict", label: "Verdict", kind: "choice", choices: choicesOf(SHOWN_VERDICTS) },
    { name: "from", label: "Paid from (UTC)", kind: "date" },
    { name: "to", label: "Paid until (UTC)", kind: "date" },
    { name: "collection", label: "Collection", kind: "text" },
    { name: "source", label: "Source", kind: "text" },
  ],
  fields: [
    { name: "Reference", show: PaymentName, phone: "lead" },
    moneyField("Amount", "totalAmount", { phone: "side" }),
    stateField("Verdict", "verdict"),
    stateField("Event", "event"),
    timeField("Paid", "paidAt"),
    textField("Collection", "collection", { phone: "away" }),
    { name: "Invoice", show: ({ invoiceId }) => <ShortId id={invoiceId} />, phone: "away" },
  ],
  keyOf: ({ source, invoiceId }) => `${source} ${invoiceId}`,
  to: ({ invoiceId }) => `payments/${invoiceId}`,
  read: (given, cursor, signal) =>
    post("/invoices/search", { body: { ...given, cursor: cursor ?? undefined } }, signal),
  empty: <FirstCallback />,
  noMatch: "An e-mail address and a reference are compared whole. Take a filter away, or search for less.",
};

/** What was searched last. It may be somebody's e-mail address, so it never stands in the browser's address. */
const searched = signal("");

function Payments() {
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
          <HiddenShown text={searched.value} />
        </label>
        <button type="submit" class="button is-primary">
          <Icon name="search" />
          Search
        </button>
      </form>
      <List list={PAYMENTS} text={searched.value} />
    </>
  );
}
