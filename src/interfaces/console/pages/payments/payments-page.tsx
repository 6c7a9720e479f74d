import { ANSWERED, EVIDENCE, INVOICES } from "../../../../operations/views/invoices.ts";
import {
  source as sourceField,
  text as textField,
  time as timeField,
} from "../../../../operations/views/view.ts";
import { get, type ListedInvoice, may, post, type Timeline } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ActButton } from "../parts/acts.tsx";
import { type Column, Facts, Result } from "../parts/fields.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { fieldsOf } from "../parts/operations.ts";
import { Answered, Id, PageHead, Section } from "../parts/page.tsx";
import { RemedyShown } from "../parts/remedies.tsx";
import { Badge, Download, Money, Outside } from "../parts/values.tsx";
import { sayHere } from "../parts/words.ts";
import { TimelineShown } from "./timeline.tsx";

export const PaymentsPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id === undefined ? <Payments /> : <PaymentPage id={id} />;

const PAYMENTS: ListDefinition<ListedInvoice> = {
  of: INVOICES,
  filters: fieldsOf("listInvoices", ["id", "reference", "verdict", "from", "to", "collection", "source"]),
  read: (given, cursor, signal) =>
    get("/invoices", { query: { ...given, cursor: cursor ?? undefined } }, signal),
  noMatch:
    "Take a filter away. A payment without a callback is found by reconciling its day, on Completeness.",
};

const Payments = () => (
  <>
    <PageHead title="Payments" />
    <List list={PAYMENTS} />
  </>
);

function PaymentPage({ id }: { id: string }) {
  const story = useAnswer("/invoices/{id}", { path: { id } });
  const evidence = useAnswer("/invoices/{id}/evidence", { path: { id } });
  const reference = story.data?.invoices[0]?.reference ?? null;
  const again = (kind: "confirmations" | "events", done: string) => async (reason: string | undefined) => {
    await post("/replays", { body: { kind, filters: { invoiceIds: [id] }, reason } });
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
        {story.data !== null && may("exportEvidence") && (
          <Download path={`/invoices/${encodeURIComponent(id)}/evidence.json`}>Evidence</Download>
        )}
        <ActButton
          operation="startReplay"
          title="Ask again"
          question="Ask the provider again?"
          says="The relay asks about this invoice again, after live ones."
          run={again("confirmations", "It is asked again. The answer shows up here.")}
        />
        {evidence.data?.events.some(({ publications }) => publications.length > 0) && (
          <ActButton
            operation="startReplay"
            title="Publish again"
            question="Publish the event again?"
            says="The event goes out again with the same id, after live ones."
            run={again("events", "It is published again. The new MessageId shows up here.")}
          />
        )}
      </PageHead>
      <Answered answer={story} what="its story">
        {(timeline) => (
          <>
            <Summary timeline={timeline} />
            <Section title="Timeline">
              <TimelineShown {...timeline} />
            </Section>
            <Answered answer={evidence} what="the evidence">
              {(found) => (
                <div class="section stack">
                  {found.events.length === 0 && <p class="quiet">No event was made.</p>}
                  <Result of={found} view={EVIDENCE} />
                  <Result of={found} view={ANSWERED} />
                </div>
              )}
            </Answered>
          </>
        )}
      </Answered>
    </>
  );
}

const FIELDS: readonly Column<Timeline["invoices"][number]>[] = [
  timeField("Paid", "paidAt"),
  textField("Collection", "collectionName"),
  textField("Type", "type"),
  sourceField(),
];

function Summary({ timeline }: { timeline: Timeline }) {
  const { invoices, confirmations, meaning, next } = timeline;
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
        {next.length > 0 && (
          <p class="row">
            {next.map((remedy) => (
              <RemedyShown key={JSON.stringify(remedy)} of={remedy} />
            ))}
          </p>
        )}
      </div>
    </div>
  );
}
