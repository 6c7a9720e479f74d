import { shownVerdict } from "../../../confirm/queue/confirmation.ts";
import type { UndeliveredEvidence } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go, Link, query } from "../kit/router.tsx";
import { Facts, type Field, moneyField, textField, timeField } from "../parts/fields.tsx";
import { RowActs } from "../parts/list.tsx";
import { Id } from "../parts/notices.tsx";
import { Answered, PageHead, Section } from "../parts/page.tsx";
import { Badge, Outside, Raw, Time } from "../parts/values.tsx";
import { DEAD_LETTER_ACTS, QUARANTINE_ACTS } from "./undelivered.tsx";

const LISTS = {
  dead: { title: "Dead letter", above: "Dead letters", path: "/dead-letters/{id}", acts: DEAD_LETTER_ACTS },
  quarantine: {
    title: "In quarantine",
    above: "Quarantine",
    path: "/quarantine/{id}",
    acts: QUARANTINE_ACTS,
  },
} as const;

/** One of them with all that helps to decide about it. @param id an invoice's or an event's. */
export function UndeliveredPage({ list, id }: { list: keyof typeof LISTS; id: string }) {
  const { title, above, path, acts } = LISTS[list];
  const answer = useAnswer(path, {
    path: { id },
    query: { source: query.value.get("source") ?? undefined },
  });
  return (
    <>
      <PageHead title={title} above={{ to: `attention/${list}`, name: above }}>
        <RowActs acts={acts} rows={answer.data?.items ?? []} onDone={() => go(`attention/${list}`)} />
      </PageHead>
      <Answered answer={answer} what="it">
        {({ items }) => items.map((item) => <Shown key={item.source} item={item} />)}
      </Answered>
    </>
  );
}

const FIELDS: readonly Field<UndeliveredEvidence>[] = [
  { name: "Payment", show: ({ invoiceId }) => <Link to={`payments/${invoiceId}`}>its whole story</Link> },
  { name: "Invoice", show: ({ invoiceId }) => <Id id={invoiceId} of="invoice" /> },
  { name: "Event", show: ({ eventId }) => eventId && <Id id={eventId} of="event" /> },
  textField("Reference", "reference"),
  textField("Collection", "collection"),
  moneyField("Total", "amount"),
  textField("Source", "source"),
  timeField("Since", "since", { as: "full" }),
  { name: "Tries", show: ({ attempts }) => attempts },
  {
    name: "Verdict",
    show: ({ confirmation }) => <Badge state={confirmation && (shownVerdict(confirmation) ?? "pending")} />,
  },
  { name: "Dismissed", show: ({ dismissedAt }) => dismissedAt && <Time at={dismissedAt} as="full" /> },
];

function Shown({ item }: { item: UndeliveredEvidence }) {
  const { confirmation, event, callbacks, error } = item;
  return (
    <>
      <div class="sheet">
        <p class="given-up">
          <Outside text={error ?? "No reason was written down."} />
        </p>
        <Facts of={item} fields={FIELDS} />
      </div>
      {confirmation?.lastAnswer && (
        <Section title="The answer that could not be used">
          <Raw text={confirmation.lastAnswer} />
        </Section>
      )}
      {event !== null && (
        <Section title="The event that is not sent">
          <Raw text={event.payload} />
        </Section>
      )}
      <Section title="Callbacks about it">
        {callbacks.length === 0 && <p>The log holds none.</p>}
        <ul class="stack">
          {callbacks.map(({ id, receivedAt, foundBy }) => (
            <li key={id}>
              <Link to={`callbacks/${id}`}>
                <Time at={receivedAt} as="full" />
              </Link>
              {foundBy !== null && (
                <>
                  , found at <Outside text={foundBy} />
                </>
              )}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
