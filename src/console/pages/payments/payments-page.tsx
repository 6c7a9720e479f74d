import { SHOWN_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { post } from "../api/client.ts";
import { happenings } from "../api/live.ts";
import type { ListedInvoice } from "../api/types.ts";
import type { ListPage } from "../api/use-answer.ts";
import { Link, searched, setSearch } from "../kit/router.tsx";
import { paymentMoneyField, stateField, textField, timeField } from "../parts/fields.tsx";
import { choicesOf } from "../parts/form.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { PageHead } from "../parts/page.tsx";
import { Button, currencies, Outside, PaymentName, ShortId, Time } from "../parts/values.tsx";
import { PaymentPage } from "./payment-page.tsx";

export const PaymentsPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id === undefined ? <Payments /> : <PaymentPage id={id} key={id} />;

const PAYMENTS: ListDefinition<ListedInvoice> = {
  what: "payments",
  caption: "Payments, the last confirmed first",
  filters: [
    { name: "verdict", label: "Verdict", kind: "choice", choices: choicesOf(SHOWN_VERDICTS) },
    { name: "from", label: "Paid from (UTC)", kind: "date" },
    { name: "to", label: "Paid until (UTC)", kind: "date" },
    { name: "confirmedFrom", label: "Confirmed from", kind: "time" },
    { name: "confirmedTo", label: "Confirmed before", kind: "time" },
    { name: "collection", label: "Collection", kind: "collection" },
    { name: "source", label: "Source", kind: "source" },
  ],
  fields: [
    { name: "Reference", show: PaymentName, phone: "lead" },
    paymentMoneyField("Amount", "totalAmount", { phone: "side" }),
    stateField("Verdict", "verdict"),
    stateField("Event", "event"),
    timeField("Paid", "paidAt"),
    textField("Collection", "collection", { phone: "away" }),
    { name: "Invoice", show: ({ invoiceId }) => <ShortId id={invoiceId} />, phone: "away" },
  ],
  keyOf: ({ source, invoiceId }) => `${source} ${invoiceId}`,
  to: ({ invoiceId }) => `payments/${invoiceId}`,
  news: () => {
    const newest = happenings.value.find(({ what }) => what === "confirmed");
    return newest === undefined ? "" : `${newest.invoiceId} ${newest.at}`;
  },
  read: (given, cursor, signal) =>
    post("/invoices/search", { body: { ...given, cursor: cursor ?? undefined } }, signal),
  empty: ["No payment yet.", "Settings has the callback URL to create your invoices with."],
  about: (page) => <Searched page={page} />,
  noMatch:
    "Take a filter away, or try what else you have of it: the beginning of an id, the whole reference or e-mail " +
    "address, part of the payer’s name, the amount, the day. What the provider lists and nobody called about is " +
    "found by reconciling its day, on the page Completeness.",
};

/** An invoice that two sources know is two rows, alike but for this. */
const OF_SEVERAL: typeof PAYMENTS = {
  ...PAYMENTS,
  fields: [...PAYMENTS.fields, textField("Source", "source", { phone: "away" })],
};

function Payments() {
  const search = (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    setSearch(String(new FormData(event.currentTarget).get("text") ?? "").trim());
  };
  const { value: text } = searched;
  return (
    <>
      <PageHead title="Payments" />
      <form class="fields" aria-label="Search payments" onSubmit={search}>
        <label class="field is-longest">
          <span class="unseen">Search payments</span>
          <input
            // Another search that one comes back to fills it anew.
            key={text}
            type="search"
            name="text"
            defaultValue={text}
            placeholder="Id or its beginning, reference, payer’s name or e-mail, amount, day"
            autoComplete="off"
            spellcheck={false}
          />
        </label>
        <Button is="is-primary" icon="search">
          Search
        </Button>
      </form>
      <List list={currencies.value.size > 1 ? OF_SEVERAL : PAYMENTS} text={text} />
    </>
  );
}

/** What a search took its text for, and what it found besides payments. */
function Searched({ page: { items, searched = [], others = [] } }: { page: ListPage<unknown> }) {
  const last = searched.at(-1);
  if (last === undefined) return null;
  return (
    <div class="stack" role="status">
      {items.length > 0 ? (
        <p class="quiet">
          Found by <Outside text={last} />.
        </p>
      ) : (
        <p>
          Looked for{" "}
          {searched.map((one, index) => (
            <span key={one}>
              {index > 0 && (index === searched.length - 1 ? ", and for " : ", for ")}
              <Outside text={one} />
            </span>
          ))}
          .
        </p>
      )}
      {others.length > 0 && (
        <p>
          {items.length > 0 ? "Also with such an id: " : "With such an id there is "}
          {others.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ", "}
              <Other found={one} />
            </span>
          ))}
          .
        </p>
      )}
    </div>
  );
}

type OtherFound = NonNullable<ListPage<unknown>["others"]>[number];

const PAGES: Record<OtherFound["what"], (id: string) => string> = {
  callback: (id) => `callbacks/${id}`,
  certificate: () => "completeness",
  replay: (id) => `replays/${id}`,
};

const Other = ({ found: { what, id, at } }: { found: OtherFound }) => (
  <>
    <Link to={PAGES[what](id)}>
      {what} <ShortId id={id} />
    </Link>{" "}
    of <Time at={at} />
  </>
);
