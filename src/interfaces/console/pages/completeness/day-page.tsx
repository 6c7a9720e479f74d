import { RECONCILED } from "../../../../operations/views/proof.ts";
import { type Field, id, money, state, words } from "../../../../operations/views/view.ts";
import { bookDayOf } from "../../../../platform/values/time.ts";
import { type Calendar, type CertificateShown, get, post } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { numberOf } from "../kit/text.ts";
import { ActButton } from "../parts/acts.tsx";
import { Table } from "../parts/fields.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { Badge, Download, Money, Time } from "../parts/values.tsx";
import { wordOf } from "../parts/words.ts";
import { type CalendarDay, stateOfDay, toneOfDay, wordsOfDay, wordsOfNone } from "./day-state.ts";

/** A day: its totals, and its differences by name. @param day as it stands in the address. */
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
        says="Live payments of this day, as the books have it."
      />
      <Answered answer={answer} what="the day's certificate">
        {({ days, books }) => (
          <>
            {days.length === 0 && (
              <Empty title="No certificate covers this day.">
                <p>Certify it to prove that every payment came through.</p>
              </Empty>
            )}
            {days.map((certified) => (
              <Certified
                key={certified.source}
                day={day}
                certified={certified}
                book={books.find(({ source }) => source === certified.source)}
              />
            ))}
            {books.some(({ timeZone }) => day < bookDayOf(Date.now(), timeZone)) && <ProveOrHeal day={day} />}
          </>
        )}
      </Answered>
    </>
  );
}

const ProveOrHeal = ({ day }: { day: string }) => (
  <Section title="Prove or heal this day">
    <div class="row">
      <ActButton
        operation="reconcile"
        title="Reconcile"
        question={`Reconcile ${day}?`}
        run={async (reason) =>
          RECONCILED.says?.(await post("/reconcile", { body: { from: day, to: day, reason } })) ?? ""
        }
      />
      <ActButton
        operation="certify"
        title="Certify"
        isMain
        question={`Certify ${day}?`}
        hasReason={false}
        run={async () =>
          (await post("/certify", { body: { from: day, to: day } }))
            .map((one) => `${one.source}: ${wordOf(one.result)}.`)
            .join(" ")
        }
      />
    </div>
  </Section>
);

interface CertifiedProps {
  day: string;
  certified: CalendarDay;
  /** undefined where the settings name the source no longer. */
  book: Calendar["books"][number] | undefined;
}

function Certified({ day, certified, book }: CertifiedProps) {
  const { source, certificateId, madeAt, paid, stored, published, missing, differences } = certified;
  const state = stateOfDay(day, certified, day, null);
  return (
    <section class="section" aria-label={`Source ${source}`}>
      <div class="spread section-head">
        <h2>
          Source {source} <Badge state={state} tone={toneOfDay(state)} as={wordsOfDay(state, certified)} />
        </h2>
        <div class="row">
          <Download path={`/certificates/${certificateId}/json`}>JSON</Download>
        </div>
      </div>
      <Table
        caption="Totals of the day"
        fields={[
          { label: "Live payments", show: ({ name }) => name, phone: "lead" },
          { label: "Number", show: ({ count }) => numberOf(count, "payment"), kind: "count" },
          {
            label: `Amount${book === undefined ? "" : `, ${book.currency}`}`,
            show: ({ amount }) => <Money amount={amount} />,
            kind: "count",
            phone: "side",
          },
        ]}
        rows={[
          { name: "Paid at the provider", ...paid },
          { name: "Stored here", ...stored },
          { name: "Published", ...published },
          { name: "Missing", ...missing },
        ]}
        keyOf={({ name }) => name}
      />
      <p class="section quiet">
        By the certificate made <Time at={madeAt} isWhole />
        {book && `, of the day in ${book.timeZone.replaceAll("_", " ")}`}.
      </p>
      <List
        key={certificateId}
        list={differencesOf(certificateId, source, day, missing.count + differences)}
      />
    </section>
  );
}

type Difference = CertificateShown["differences"][number] & { source: string };

/** Gaps first. @param counted how many gaps and differences the certificate counts on this day, named or not. */
const differencesOf = (
  certificateId: string,
  source: string,
  day: string,
  counted: number,
): ListDefinition<Difference> => ({
  of: {
    one: "difference",
    columns: DIFFERENCES,
    none: "No difference is named here.",
    why: wordsOfNone(counted),
  },
  keyOf: ({ invoiceId, eventId, reason }) => `${invoiceId} ${eventId} ${reason}`,
  async read(_given, cursor) {
    const query = { day, limit: 100, after: cursor === null ? undefined : Number(cursor) };
    const { differences, next } = await get("/certificates/{id}", { path: { id: certificateId }, query });
    const items = differences.map((one) => ({ ...one, source }));
    return { items, next: next === null ? null : String(next) };
  },
});

const DIFFERENCES: readonly Field<Difference>[] = [
  id("Payment", ({ invoiceId, eventId }) => invoiceId ?? eventId, {
    of: ({ invoiceId }) => (invoiceId === null ? "" : "invoice"),
    phone: "lead",
  }),
  money("Amount", "amount"),
  state("Weight", "weight", { phone: "side" }),
  state("Reason", "reason"),
  words("Why", "detail", { isLong: true }),
];
