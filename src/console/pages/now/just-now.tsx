import { connection, happenings } from "../api/live.ts";
import type { Activity, Happening, ListedInvoice } from "../api/types.ts";
import { useAnswer, useReloadAfter } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Section } from "../parts/page.tsx";
import { UpstreamShown } from "../parts/upstream.tsx";
import { Badge, Money, PaymentName, Time } from "../parts/values.tsx";

/** So many payments are shown. */
const SHOWN = 7;

/** The newest payments: those that were there, and each that comes through while one looks. */
export function JustNow() {
  const { data, reload } = useAnswer("/invoices", { query: { limit: SHOWN } });
  // What came while nothing was heard.
  useReloadAfter(`${connection.value === "lost"}`, reload);
  const newest = newestOf(happenings.value, data?.items ?? [], SHOWN);
  return (
    <Section title="Just now" aside={<Link to="payments">All payments</Link>}>
      {newest.length === 0 ? (
        <p class="quiet">{data === null ? "Reading payments…" : "No payment yet."}</p>
      ) : (
        <ul class="lined just-now">
          {newest.map((payment) => (
            <li key={`${payment.source} ${payment.invoiceId}`}>
              <Link to={`payments/${payment.invoiceId}`}>
                <span>
                  <PaymentName
                    reference={payment.reference ?? payment.collection}
                    invoiceId={payment.invoiceId}
                  />
                  <small>
                    <Time at={payment.at} />
                  </small>
                </span>
                <span>
                  <Money amount={payment.totalAmount} />
                  <Badge state={payment.what} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** A payment and the last that is known to have happened to it. */
type Newest = Omit<Happening, "what"> & { what: string | null };

/** The payments that something happened to last: what came live, before what was there when one arrived. */
function newestOf(live: readonly Happening[], listed: readonly ListedInvoice[], most: number): Newest[] {
  const byPayment = new Map<string, Newest>();
  const add = (payment: Newest) => {
    const key = `${payment.source} ${payment.invoiceId}`;
    const known = byPayment.get(key);
    // Published is the end of it: a confirmation that is told late takes nothing back.
    if (known === undefined || (known.what === "confirmed" && payment.what === "published"))
      byPayment.set(key, payment);
  };
  for (const happening of live) add(happening);
  for (const { event, verdict, confirmedAt, ...invoice } of listed)
    if (confirmedAt !== null) add({ ...invoice, at: confirmedAt, what: event ?? verdict });
  return [...byPayment.values()]
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, most);
}

/** The provider's accounts and the topics, each with its circuit breaker. */
export function Upstreams({ upstreams: { sources, topics } }: { upstreams: Activity["upstreams"] }) {
  return (
    <Section title="Provider and topics">
      <ul class="lined">
        {sources.map((source) => (
          <li key={source.name}>
            <UpstreamShown upstream={source} what="Provider, source" />
          </li>
        ))}
        {topics.map((topic) => (
          <li key={topic.name}>
            <UpstreamShown upstream={topic} what="Topic" />
          </li>
        ))}
        {sources.length + topics.length === 0 && <li class="quiet">None was used yet.</li>}
      </ul>
    </Section>
  );
}
