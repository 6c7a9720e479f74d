import type { CallInput, OperationAt } from "../../../api/calls.ts";
import { shownVerdict } from "../../../confirm/queue/confirmation.ts";
import { postLines, type Undelivered, type UndeliveredEvidence } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go, Link, query } from "../kit/router.tsx";
import { countText, numberOf, theyAre, visibleText } from "../kit/text.ts";
import type { OnProgress } from "../parts/acts.tsx";
import { Facts, type Field, fullTimeField, paymentMoneyField, textField } from "../parts/fields.tsx";
import type { FormField } from "../parts/form.tsx";
import { type ListDefinition, RowActs, type RowsAct, readCounted } from "../parts/list.tsx";
import { Answered, Id, PageHead, Section } from "../parts/page.tsx";
import { Ago, Badge, Outside, PaymentName, Raw, Time } from "../parts/values.tsx";

type DecisionPath =
  | "/dead-letters/retry"
  | "/dead-letters/dismiss"
  | "/quarantine/release"
  | "/quarantine/dismiss";

interface ActWords extends Omit<RowsAct<Undelivered>, "run" | "runAll"> {
  /** What they were then: "dismissed". */
  done: string;
}

/** Decides about some, or about all that nobody dismissed. @param one what is decided about: "dead letter" */
function decision(path: DecisionPath, one: string, { done, ...act }: ActWords): RowsAct<Undelivered> {
  const decide = async (
    choice: CallInput<OperationAt<"post", DecisionPath>>["body"],
    reason: string | undefined,
    onProgress: OnProgress = () => undefined,
  ) => (await postLines(path, { body: { ...choice, reason } }, onProgress)).count;
  const said = (count: number) => `${numberOf(count, `${one} was`, `${one}s were`)} ${done}.`;
  return {
    ...act,
    async run(items, reason) {
      let count = 0;
      // An id may be known to several sources: each call says of which.
      for (const [source, own] of Map.groupBy(items, (item) => item.source))
        count += await decide({ ids: own.map(idOf), source }, reason);
      return said(count);
    },
    runAll: async (reason, given, _, onProgress) =>
      said(await decide({ filters: given }, reason, onProgress)),
  };
}

const DEAD_LETTER_ACTS: readonly RowsAct<Undelivered>[] = [
  decision("/dead-letters/retry", "dead letter", {
    operation: "retryDead",
    title: "Retry",
    isMain: true,
    says: (count) =>
      `${theyAre(count)} asked or sent again from the first step. Retry once the cause is gone; else ` +
      `${count === 1 ? "it ends" : "they end"} here again.`,
    done: "put under way again",
  }),
  decision("/dead-letters/dismiss", "dead letter", {
    operation: "dismissDead",
    title: "Dismiss",
    says: (count) =>
      `${theyAre(count)} no longer listed, but kept: certificates still name ${count === 1 ? "it" : "them"} as missing.`,
    done: "dismissed",
  }),
];

const QUARANTINE_ACTS: readonly RowsAct<Undelivered>[] = [
  decision("/quarantine/release", "invoice", {
    operation: "releaseQuarantine",
    title: "Release",
    isMain: true,
    says: (count) =>
      `The provider is asked about ${count === 1 ? "it" : `these ${countText(count)}`} again, and what is ` +
      "still paid is published. Add the collection to COLLECTION_IDS if more of it will come.",
    done: "released",
  }),
  decision("/quarantine/dismiss", "invoice", {
    operation: "dismissQuarantine",
    title: "Dismiss",
    says: (count) =>
      `${theyAre(count)} no longer listed, and ${count === 1 ? "stays" : "stay"} unpublished. ` +
      "For payments that are none of yours.",
    done: "dismissed",
  }),
];

const FIELDS: readonly Field<Undelivered>[] = [
  { name: "Payment", show: PaymentName, phone: "lead" },
  paymentMoneyField("Total", "amount"),
  textField("Collection", "collection"),
  { name: "Since", show: ({ since }) => <Ago at={since} /> },
  textField("Why", "error", { kind: "wide" }),
];

const FILTERS: readonly FormField[] = [
  { name: "collection", label: "Collection", kind: "collection" },
  { name: "source", label: "Source", kind: "source" },
];

const idOf = ({ eventId, invoiceId }: Undelivered) => eventId ?? invoiceId;

const ROWS = {
  keyOf: (item: Undelivered) => `${item.source}/${idOf(item)}`,
  /** References may repeat, ids do not. */
  nameOf: ({ kind, reference, invoiceId, source }: Undelivered) =>
    `the ${kind} of ${reference === null ? "" : `${reference}, `}invoice ${invoiceId}, source ${source}`,
};

const pageOf = (list: string) => (item: Undelivered) =>
  `attention/${list}/${idOf(item)}?source=${encodeURIComponent(item.source)}`;

/** What was given up: confirmations that the provider never answered properly, events that SNS refuses. */
export const DEAD_LETTERS: ListDefinition<Undelivered> = {
  ...ROWS,
  what: "dead letters",
  caption: "dead letters, the oldest first",
  fields: [{ name: "What", show: ({ kind }) => <Badge state="dead" as={kind} />, phone: "side" }, ...FIELDS],
  to: pageOf("dead"),
  filters: [
    {
      name: "kind",
      label: "What",
      kind: "choice",
      choices: ["confirmation", "event"].map((kind) => [kind, `${kind}s`]),
    },
    ...FILTERS,
  ],
  read: readCounted("/dead-letters"),
  empty: [
    "No dead letters.",
    "What the relay gives up, after a day of answers it cannot use or a refusal by SNS, waits here.",
  ],
  acts: DEAD_LETTER_ACTS,
  figure: ({ dead }) => dead.confirmations + dead.events,
};

/** Paid invoices of collections that are not among COLLECTION_IDS: held back until somebody decides. */
export const QUARANTINE: ListDefinition<Undelivered> = {
  ...ROWS,
  what: "invoices in quarantine",
  caption: "invoices in quarantine, the oldest first",
  fields: FIELDS,
  to: pageOf("quarantine"),
  filters: FILTERS,
  read: readCounted("/quarantine"),
  empty: [
    "Nothing is in quarantine.",
    "A paid invoice of a collection that is not in COLLECTION_IDS waits here, unpublished.",
  ],
  acts: QUARANTINE_ACTS,
  figure: (status) => status.quarantined,
};

const LISTS = {
  dead: ["Dead letter", "Dead letters", "/dead-letters/{id}", DEAD_LETTER_ACTS],
  quarantine: ["In quarantine", "Quarantine", "/quarantine/{id}", QUARANTINE_ACTS],
} as const;

/** One of them with all that helps to decide about it. @param id an invoice's or an event's. */
export function UndeliveredPage({ list, id }: { list: keyof typeof LISTS; id: string }) {
  const [title, above, path, acts] = LISTS[list];
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
        {({ items }) =>
          items.map((item) => (
            <Shown
              key={item.source}
              item={item}
              of={items.length > 1 ? `, ${visibleText(item.source)}` : ""}
            />
          ))
        }
      </Answered>
    </>
  );
}

const EVIDENCE_FIELDS: readonly Field<UndeliveredEvidence>[] = [
  { name: "Payment", show: ({ invoiceId }) => <Link to={`payments/${invoiceId}`}>its whole story</Link> },
  { name: "Invoice", show: ({ invoiceId }) => <Id id={invoiceId} of="invoice" /> },
  { name: "Event", show: ({ eventId }) => eventId && <Id id={eventId} of="event" /> },
  textField("Reference", "reference"),
  textField("Collection", "collection"),
  paymentMoneyField("Total", "amount"),
  textField("Source", "source"),
  fullTimeField("Since", "since"),
  { name: "Tries", show: ({ attempts }) => attempts },
  {
    name: "Verdict",
    show: ({ confirmation }) => <Badge state={confirmation && shownVerdict(confirmation)} />,
  },
  { name: "Dismissed", show: ({ dismissedAt }) => dismissedAt && <Time at={dismissedAt} as="full" /> },
];

/** @param of its source, where there are several. */
function Shown({ item, of }: { item: UndeliveredEvidence; of: string }) {
  const { confirmation, event, callbacks, error } = item;
  return (
    <>
      <div class="sheet stack">
        <b>
          <Outside text={error ?? "No reason was written down."} />
        </b>
        <Facts of={item} fields={EVIDENCE_FIELDS} />
      </div>
      {confirmation?.lastAnswer && (
        <Section title={`The answer that could not be used${of}`}>
          <Raw text={confirmation.lastAnswer} />
        </Section>
      )}
      {event !== null && (
        <Section title={`The event that is not sent${of}`}>
          <Raw text={event.payload} />
        </Section>
      )}
      <Section title={`Callbacks about it${of}`}>
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
