import { dayOf } from "../../../kit/time.ts";
import { get } from "../api/client.ts";
import type { CertificateShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { type Field, moneyField } from "../parts/fields.tsx";
import { Icon } from "../parts/icon.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { notify } from "../parts/notices.tsx";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { Badge, Money, Outside, PaymentLink, Time } from "../parts/values.tsx";
import { type CalendarDay, stateOfDay, toneOfDay, wordsOfDay, wordsOfNone } from "./day-state.ts";
import { ProofForm } from "./proof-form.tsx";

/** One day: its totals, and its differences by name. */
export function DayPage({ day }: { day: string }) {
  const answer = useAnswer("/certificates/calendar", { query: { from: day, to: day } });
  const title = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(
    new Date(day),
  );
  return (
    <>
      <PageHead
        title={title}
        above={{ to: "completeness", name: "Completeness" }}
        says="Live payments of this day, UTC."
      />
      <Answered answer={answer} what="the day's certificate">
        {({ days }) => (
          <>
            {days.length === 0 && (
              <Empty title="No certificate covers this day.">
                <p>Certify it to prove that every payment came through.</p>
              </Empty>
            )}
            {days.map((certified) => (
              <Certified key={certified.source} day={day} certified={certified} />
            ))}
            {day < dayOf(Date.now()) && (
              <Section title="Prove or heal this day">
                <ProofForm from={day} to={day} isFixed onDone={answer.reload} />
              </Section>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

function Certified({ day, certified }: { day: string; certified: CalendarDay }) {
  const { source, certificateId, madeAt, paid, stored, published, missing, differences } = certified;
  const state = stateOfDay(day, certified, day, null);
  return (
    <section class="section" aria-label={`Source ${source}`}>
      <div class="spread section-head">
        <h2>
          Source {source} <Badge state={state} tone={toneOfDay(state)} as={wordsOfDay(state, certified)} />
        </h2>
        <div class="row">
          <a class="button" href={`/admin/v1/certificates/${certificateId}/csv`} download>
            <Icon name="download" />
            CSV
          </a>
          <button type="button" class="button" onClick={() => void exportJson(certificateId, day)}>
            <Icon name="download" />
            JSON
          </button>
        </div>
      </div>
      <table class="plain-table totals">
        <caption class="unseen">Totals of the day</caption>
        <thead>
          <tr>
            <th scope="col">Live payments</th>
            <th scope="col">Number</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries({
            "Paid at the provider": paid,
            "Stored here": stored,
            Published: published,
            Missing: missing,
          }).map(([name, tally]) => (
            <tr key={name} class={name === "Missing" && tally.count > 0 ? "is-bad" : ""}>
              <th scope="row">{name}</th>
              <td>{countText(tally.count)}</td>
              <td>
                <Money amount={tally.amount} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="certificate-made">
        By the certificate made <Time at={madeAt} as="full" />.
      </p>
      <List key={certificateId} list={differencesOf(certificateId, day, missing.count + differences)} />
    </section>
  );
}

type Difference = CertificateShown["differences"][number];

const readDifferences = (certificateId: string, day: string, limit: number, after: string | null) =>
  get("/certificates/{id}", {
    path: { id: certificateId },
    query: { day, limit, after: after === null ? undefined : Number(after) },
  });

/**
 * What is not the same in all three places on one day: gaps first.
 * @param counted how many gaps and differences the certificate counts on this day, named or not.
 */
const differencesOf = (certificateId: string, day: string, counted: number): ListDefinition<Difference> => ({
  what: "differences",
  caption: "Differences of the day, gaps first",
  fields: DIFFERENCE_FIELDS,
  keyOf: ({ invoiceId, eventId, reason }) => `${invoiceId} ${eventId} ${reason}`,
  async read(_given, cursor) {
    const { differences, next } = await readDifferences(certificateId, day, 100, cursor);
    return { items: differences, next: next === null ? null : String(next) };
  },
  empty: <p>{wordsOfNone(counted)}</p>,
});

const DIFFERENCE_FIELDS: readonly Field<Difference>[] = [
  {
    name: "Payment",
    show: ({ invoiceId, eventId }) => <PaymentLink invoiceId={invoiceId} eventId={eventId} />,
    phone: "lead",
  },
  moneyField("Amount", "amount"),
  { name: "Weight", show: ({ weight }) => <Badge state={weight} as={weight} />, phone: "side" },
  {
    name: "Why",
    show: ({ reason, detail }) => (
      <>
        <b class="block">{reasonWords(reason)}</b>
        <Outside text={detail} />
      </>
    ),
    kind: "wide",
  },
];

/** Saves a certificate as JSON, with the differences of one day. */
async function exportJson(certificateId: string, day: string): Promise<void> {
  try {
    const differences: CertificateShown["differences"] = [];
    let page: CertificateShown | null = null;
    do {
      page = await readDifferences(certificateId, day, 500, String(page?.next ?? 0));
      differences.push(...page.differences);
    } while (page.next !== null);
    const text = JSON.stringify({ ...page.certificate, differences }, null, 2);
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), {
      href: url,
      download: `certificate-${day}.json`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    notify(`It could not be saved: ${error instanceof Error ? error.message : String(error)}`, { bad: true });
  }
}

/** What a difference means, in a few words; the certificate's own detail says more. */
const REASONS: Readonly<Record<string, string>> = {
  missing: "Nobody asked about it",
  not_confirmed: "Not confirmed yet",
  dead: "Given up: a dead letter",
  quarantined: "In quarantine",
  not_paid: "Not paid, by its last answer",
  recorded_only: "Only recorded",
  before_start: "From before the first serve",
  event_missing: "Its event is missing",
  unpublished: "Its event is not published yet",
  event_dead: "Its event was given up",
  held: "Its event is held",
  wrong_topic: "Published on another topic",
  no_acceptance: "No acceptance by SNS",
  amount_differs: "The amount differs",
  books_differ: "The books contradict the provider's answer",
  payload_differs: "The event says something else",
  digest_missing: "What was published cannot be checked",
  invoice_missing: "The stored answer is missing",
  not_at_provider: "The provider does not list it",
  status_unknown: "Its status is unknown",
  confirmation_missing: "Its confirmation is missing",
  verdict_differs: "Its verdict differs",
  event_without_payment: "An event without a payment",
  acceptance_without_event: "An acceptance without an event",
  id_unusable: "Its id cannot be used",
  callback_missing: "Its callback is not in the log",
  undated: "Without a day of payment",
  future: "Paid in the future",
  counted_by_asking: "Found by asking, not in the list",
  type_changed: "Its type has changed since its event",
  corrected: "Corrected by the provider since its event",
  test: "A Test invoice",
};

const reasonWords = (reason: string): string => REASONS[reason] ?? reason.replaceAll("_", " ");
