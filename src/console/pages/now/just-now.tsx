import { happenings } from "../api/live.ts";
import type { Happening } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { Time } from "../parts/time.tsx";
import { newestOf } from "./newest.ts";

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
        <ul class="just-now">
          {newest.map((payment) => (
            <li key={`${payment.source} ${payment.invoiceId}`}>
              <Link to={`payments/${payment.invoiceId}`}>
                <span class="just-now-what">
                  <Name payment={payment} />
                  <small>
                    <Time at={payment.at} />
                  </small>
                </span>
                <span class="just-now-money">
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

function Name({ payment }: { payment: Pick<Happening, "reference" | "collection" | "invoiceId"> }) {
  const name = payment.reference ?? payment.collection;
  return name === null ? <code>{payment.invoiceId.slice(0, 8)}…</code> : <Outside text={name} />;
}
