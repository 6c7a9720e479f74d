import { may, post } from "../api/client.ts";
import { connection, happenings, liveStatus, useLive } from "../api/live.ts";
import type { InvoiceEvidence, Timeline } from "../api/types.ts";
import { useAnswer, usePolled, useReloadAfter } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { ActButton } from "../parts/acts.tsx";
import { Facts, type Field } from "../parts/fields.tsx";
import { sayHere } from "../parts/here.ts";
import { Answered, Copy, Id, PageHead, Section } from "../parts/page.tsx";
import { Badge, Download, Money, Outside, Raw, Time } from "../parts/values.tsx";
import { DrawnTimeline } from "./timeline.tsx";

export function PaymentPage({ id }: { id: string }) {
  const story = useAnswer("/invoices/{id}", { path: { id } });
  const evidence = useAnswer("/invoices/{id}/evidence", { path: { id } });
  useLive();
  const reload = () => {
    story.reload();
    evidence.reload();
  };
  const last = happenings.value.find(({ invoiceId }) => invoiceId === id);
  useReloadAfter(
    `${last?.what} ${last?.at} ${liveStatus.value?.lastCallbackAt} ${connection.value === "lost"}`,
    reload,
  );
  const isUnderWay = statesOf(story.data).some((state) => state === "due" || state === "claimed");
  usePolled(isUnderWay, { isLoading: story.isLoading, reload }, 2_000);
  const reference = story.data?.invoices[0]?.reference ?? null;
  const act = (verb: "ask" | "publish", done: string) => async (reason: string | undefined) => {
    await post(`/invoices/{id}/${verb}`, { path: { id }, body: { reason } });
    reload();
    return done;
  };
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
        {story.data !== null && may("exportEvidence") && (
          <Download path={`/invoices/${encodeURIComponent(id)}/evidence.zip`}>Evidence</Download>
        )}
        <ActButton
          operation="askAgain"
          title="Ask again"
          icon="replay"
          question="Ask the provider again?"
          says="The provider is asked for this invoice now. An event that was published stays as it is."
          run={act("ask", "It is asked again. The answer shows up here.")}
        />
        {evidence.data?.events.some(({ publications }) => publications.length > 0) && (
          <ActButton
            operation="publishAgain"
            title="Publish again"
            icon="play"
            question="Publish the event again?"
            says="The same event, under the same id, goes to its topic once more, marked as a replay. Consumers that handle an id once are not disturbed."
            run={act("publish", "It is published again. The new MessageId shows up here.")}
          />
        )}
      </PageHead>
      <Answered answer={story} what="its story">
        {(timeline) => (
          <>
            <Summary timeline={timeline} />
            <div class="story">
              <Section title="What happened">
                <DrawnTimeline {...timeline} />
              </Section>
              <Answered answer={evidence} what="the evidence">
                {({ answers, events }) => (
                  <div class="columns" style={{ "--least": "32rem" }}>
                    <Events events={events} />
                    <LastAnswer answers={answers} />
                  </div>
                )}
              </Answered>
            </div>
          </>
        )}
      </Answered>
    </>
  );
}

const statesOf = (timeline: Timeline | null) =>
  timeline === null ? [] : [...timeline.confirmations, ...timeline.events].map(({ state }) => state);

function Decide({ timeline }: { timeline: Timeline }) {
  const isDead = statesOf(timeline).includes("dead");
  if (!isDead && !timeline.confirmations.some(({ verdict }) => verdict === "quarantined")) return null;
  const list = isDead ? "dead" : "quarantine";
  return (
    <Link to={`attention/${list}/${encodeURIComponent(timeline.invoiceId)}`} class="button is-primary">
      {isDead ? "Open the dead letter" : "Open in quarantine"}
    </Link>
  );
}

const FIELDS: readonly Field<Timeline["invoices"][number]>[] = [
  { name: "Paid", show: ({ paidAt }) => (paidAt === null ? "not yet" : <Time at={paidAt} as="full" />) },
  { name: "Collection", show: ({ collectionName }) => collectionName ?? "none" },
  {
    name: "Type and source",
    show: ({ type, source }) => `${type ?? "unknown"}, ${source}`,
  },
];

function Summary({ timeline: { invoices, confirmations, meaning } }: { timeline: Timeline }) {
  return (
    <div class="columns">
      {confirmations.map(({ source, verdict, state }) => {
        const invoice = invoices.find((one) => one.source === source);
        return (
          <div key={source}>
            <p class="row amount">
              <Money amount={invoice?.totalAmount ?? null} of={source} />{" "}
              <Badge state={state === "dead" ? "dead" : (verdict ?? "pending")} />
            </p>
            {invoice !== undefined && <Facts of={invoice} fields={FIELDS} />}
          </div>
        );
      })}
      <div class="stack noted">
        {meaning.map((line) => (
          <p key={line}>
            <Outside text={sayHere(line)} />
          </p>
        ))}
      </div>
    </div>
  );
}

/** What the provider answered last, digit for digit. */
const LastAnswer = ({ answers: [last] }: Pick<InvoiceEvidence, "answers">) =>
  last !== undefined && (
    <Section
      title="What the provider answered"
      aside={
        <small>
          <Time at={last.askedAt} />
        </small>
      }
    >
      <Raw text={last.document} />
    </Section>
  );

type SentEvent = InvoiceEvidence["events"][number];

const EVENT_FIELDS: readonly Field<SentEvent>[] = [
  { name: "Event", show: ({ id }) => <Id id={id} of="event" /> },
  {
    name: "Type and state",
    show: ({ type, state }) => (
      <>
        {type} <Badge state={state} />
      </>
    ),
  },
];

const publicationField = (publication: SentEvent["publications"][number]): Field<SentEvent> => ({
  name: publication.replayId === null ? "MessageId" : "MessageId (replay)",
  show: () => (
    <>
      <Id id={publication.messageId} of="message" />
      <small class="block">
        <Outside text={publication.topicArn} />, <Time at={publication.publishedAt} />
      </small>
    </>
  ),
});

/** Each event as it was sent, and what SNS called it. */
function Events({ events }: Pick<InvoiceEvidence, "events">) {
  return (
    <Section title="Event as sent">
      {events.length === 0 && <p class="quiet">No event was made.</p>}
      {events.map((event) => (
        <div key={`${event.source} ${event.id}`}>
          <Facts of={event} fields={[...EVENT_FIELDS, ...event.publications.map(publicationField)]} />
          <div class="cornered">
            <Copy text={event.payload} what="the event exactly as sent" />
            <Raw text={event.payload} />
          </div>
        </div>
      ))}
    </Section>
  );
}
