import { useEffect } from "preact/hooks";
import { happenings } from "../api/live.ts";
import type { Timeline } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Id } from "../parts/copy.tsx";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Facts, PageHead, Section } from "../parts/page-head.tsx";
import { Answered } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Again } from "./again.tsx";
import { Claims } from "./claims.tsx";
import { DrawnTimeline } from "./drawn-timeline.tsx";
import { Events } from "./events.tsx";

/** While it is open, it is looked at again this often, in ms. */
const LOOK_AGAIN_MS = 2_000;

/** Everything that happened to one payment. */
export function Story({ id }: { id: string }) {
  const story = useAnswer("/invoices/{id}", { path: { id } });
  const evidence = useAnswer("/invoices/{id}/evidence", { path: { id } });
  const reload = () => {
    story.reload();
    evidence.reload();
  };
  const last = happenings.value.find(({ invoiceId }) => invoiceId === id);
  const isOpen = story.data !== null && isUnderWay(story.data);
  useEffect(() => {
    if (last !== undefined) reload();
  }, [last?.what]);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setTimeout(reload, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isOpen, story.data]);
  const wasPublished = evidence.data?.events.some(({ publications }) => publications.length > 0) ?? false;
  const reference = story.data?.invoices[0]?.reference ?? null;
  return (
    <>
      <PageHead
        title="Payment"
        above={{ to: "payments", name: "Payments" }}
        says={
          <>
            {reference !== null && (
              <>
                <Outside text={reference} /> ·{" "}
              </>
            )}
            <Id id={id} of="invoice" />
          </>
        }
      >
        {story.data !== null && <Decide timeline={story.data} />}
        <Again id={id} wasPublished={wasPublished} onDone={reload} />
      </PageHead>
      <Answered answer={story} what="its story">
        {(timeline) => (
          <>
            <Summary timeline={timeline} />
            <Section title="What happened">
              <DrawnTimeline entries={timeline.entries} furtherCallbacks={timeline.furtherCallbacks} />
            </Section>
          </>
        )}
      </Answered>
      {story.data !== null && (
        <Answered answer={evidence} what="the evidence">
          {({ claims, events, leftOut }) => (
            <div class={events.length === 0 ? "evidence is-alone" : "evidence"}>
              <Claims claims={claims} leftOut={leftOut} />
              <Events events={events} />
            </div>
          )}
        </Answered>
      )}
    </>
  );
}

/** The way to where somebody decides about what waits for it. */
function Decide({ timeline: { invoiceId, confirmations, events } }: { timeline: Timeline }) {
  const isDead = [...confirmations, ...events].some(({ state }) => state === "dead");
  const isHeldBack = confirmations.some(({ verdict }) => verdict === "quarantined");
  if (!isDead && !isHeldBack) return null;
  const list = isDead ? "dead" : "quarantine";
  return (
    <Link to={`attention/${list}/${encodeURIComponent(invoiceId)}`} class="button is-primary">
      {isDead ? "Open the dead letter" : "Open in quarantine"}
    </Link>
  );
}

const isUnderWay = ({ confirmations, events }: Timeline): boolean =>
  [...confirmations, ...events].some(({ state }) => state === "due" || state === "claimed");

function Summary({ timeline: { invoices, confirmations, meaning } }: { timeline: Timeline }) {
  return (
    <div class="summary">
      {confirmations.map(({ source, verdict, state }) => {
        const invoice = invoices.find((one) => one.source === source);
        return (
          <div key={source}>
            <p class="summary-amount">
              <Money amount={invoice?.totalAmount ?? null} />{" "}
              <Badge state={state === "dead" ? "dead" : (verdict ?? "pending")} />
            </p>
            {invoice !== undefined && (
              <Facts
                facts={[
                  ["Paid", invoice.paidAt === null ? "not yet" : <Time at={invoice.paidAt} as="full" />],
                  ["Collection", <Outside key="collection" text={invoice.collectionName ?? "none"} />],
                  [
                    "Type and source",
                    <Outside key="source" text={`${invoice.type ?? "unknown"}, ${source}`} />,
                  ],
                ]}
              />
            )}
          </div>
        );
      })}
      <div class="meaning">
        {meaning.map((line) => (
          <p key={line}>
            <Outside text={line} />
          </p>
        ))}
      </div>
    </div>
  );
}
