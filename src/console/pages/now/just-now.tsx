import { happenings } from "../api/live.ts";
import type { Activity, Happening, ListedInvoice } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Section } from "../parts/page.tsx";
import { type Upstream, UpstreamBadge, UpstreamWhy } from "../parts/upstream.tsx";
import { Badge, Money, Outside, PaymentName, Time } from "../parts/values.tsx";

/** So many payments are shown. */
const SHOWN = 7;

/** The newest payments: those that were there, and each that comes through while one looks. */
export function JustNow() {
  const { data } = useAnswer("/invoices", { query: { limit: SHOWN } });
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
type Newest = Omit<Happening, "what"> & { what: string };

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
    if (confirmedAt !== null) add({ ...invoice, at: confirmedAt, what: event ?? verdict ?? "pending" });
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
          <One key={source.name} upstream={source} what="Provider, source" />
        ))}
        {topics.map((topic) => (
          <One key={topic.name} upstream={topic} what="Topic" />
        ))}
        {sources.length + topics.length === 0 && <li class="quiet">None was used yet.</li>}
      </ul>
    </Section>
  );
}

function One({ upstream, what }: { upstream: Upstream; what: string }) {
  return (
    <li>
      <p class="name-and-state">
        <span>
          <small>{what}</small> <Outside text={upstream.name.split(":").at(-1) ?? upstream.name} />
        </span>
        <UpstreamBadge upstream={upstream} />
      </p>
      <UpstreamWhy upstream={upstream} />
    </li>
  );
}
