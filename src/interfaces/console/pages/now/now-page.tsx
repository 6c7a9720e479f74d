import { useEffect } from "preact/hooks";
import { spanText } from "../../../../platform/values/time.ts";
import type { Activity, Happening, ListedInvoice, Status } from "../api/client.ts";
import { connection, happenings, liveActivity, liveStatus, noteStatus, proof, useLive } from "../api/live.ts";
import { useAnswer, useReloadAfter } from "../api/use-answer.ts";
import { go, Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { Figures } from "../parts/fields.tsx";
import { Empty, Loading, PageHead, Problem, Section } from "../parts/page.tsx";
import { Ago, Badge, Money, PaymentName, Time } from "../parts/values.tsx";
import { UpstreamShown, upstreamsOf } from "../settings/upstreams.tsx";
import { Headline } from "./headline.tsx";
import { MinuteChart } from "./minute-chart.tsx";

export function NowPage() {
  // Read once for the first look; from then on the relay sends them.
  const readStatus = useAnswer("/status", {});
  const readActivity = useAnswer("/activity", {});
  useEffect(() => {
    if (readStatus.data !== null) noteStatus(readStatus.data);
  }, [readStatus.data]);
  useLive();
  const { value: status } = liveStatus;
  const activity = liveActivity.value ?? readActivity.data;
  const upstreams = activity === null ? [] : upstreamsOf(activity.upstreams);
  const problem = status === null ? readStatus.problem : null;
  return (
    <div class="now">
      <PageHead title="Now" />
      {problem !== null && <Problem problem={problem} retry={readStatus.reload} />}
      {status === null && proof.value === null && problem === null && <Loading what="how it does" />}
      <Headline />
      {status !== null && activity !== null && (
        <div class={proof.value?.isFresh === false ? "now-grid is-old" : "now-grid"}>
          <div>
            {status.lastCallbackAt === null && activity.latency === null && (
              <div class="section">
                <Empty title="Nothing yet">
                  <p>
                    Create your invoices with the callback URL that stands in{" "}
                    <Link to="settings">Settings</Link>. Each payment then appears here by itself.
                  </p>
                </Empty>
              </div>
            )}
            <Section title="Each minute">
              <MinuteChart minutes={activity.minutes} onOpen={openPayments} />
            </Section>
            <Times activity={activity} status={status} />
          </div>
          <div class="columns">
            <JustNow />
            <Section title="Provider and topics">
              <ul class="lined">
                {upstreams.map(({ upstream, what }) => (
                  <li key={upstream.name}>
                    <UpstreamShown upstream={upstream} what={what} />
                  </li>
                ))}
                {upstreams.length === 0 && <li class="quiet">No source or topic has been used yet.</li>}
              </ul>
            </Section>
          </div>
        </div>
      )}
    </div>
  );
}

/** Work that has been open for this long stands out, in s: as long as the status needs to call a person. */
const LONG_SECONDS = 120;

function Times({ activity: { latency, oldest }, status }: { activity: Activity; status: Status }) {
  const share = (ms: number | undefined) => (ms === undefined ? "–" : spanText(ms));
  const { confirmations, outbox } = status.backlog;
  const age = (name: string, seconds: number, rows: readonly { state: string; count: number }[]) =>
    [
      name,
      seconds > 0 ? spanText(seconds * 1_000) : rows.some(isOpen) ? "for later" : "none",
      seconds > LONG_SECONDS ? "toned is-bad" : "",
    ] as const;
  const last = status.lastCallbackAt === null ? "never" : <Ago at={status.lastCallbackAt} />;
  return (
    <div class="columns">
      <Section
        title="From callback to event"
        aside={latency !== null && <small>the last {countText(latency.payments)}</small>}
      >
        <Figures
          of={[
            ["half within", share(latency?.p50Ms)],
            ["95 % within", share(latency?.p95Ms)],
            ["99 % within", share(latency?.p99Ms)],
          ]}
        />
      </Section>
      <Section title="Oldest open work">
        <Figures
          of={[
            age("to be confirmed", oldest.confirmationSeconds, confirmations),
            age("to be published", oldest.eventSeconds, outbox),
            ["last callback", last],
          ]}
        />
      </Section>
    </div>
  );
}

/** Work of a later step or of a replay is no backlog, but it is work. */
const isOpen = ({ state, count }: { state: string; count: number }): boolean =>
  count > 0 && (state === "due" || state === "claimed");

const SHOWN = 7;

/** The newest payments: those read at first, and each that comes through meanwhile. */
function JustNow() {
  const { data, reload } = useAnswer("/invoices", { query: { limit: SHOWN } });
  // Reads the payments that came while the connection was lost.
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
              <Link to={`payments/${payment.invoiceId}`} class="spread">
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
                  <Money amount={payment.totalAmount} of={payment.source} />
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
    // Published is the last state: a confirmation that arrives late does not undo it.
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

const openPayments = (from: Date, to: Date): void =>
  go(`payments?${new URLSearchParams({ confirmedFrom: from.toISOString(), confirmedTo: to.toISOString() })}`);
