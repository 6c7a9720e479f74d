import type { Calendar } from "../../../api/proof-schemas.ts";
import { dayOf } from "../../../kit/time.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/money-text.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Money } from "../parts/money.tsx";
import { PageHead, Section } from "../parts/page-head.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { type CalendarDay, stateOfDay, wordsOfDay } from "./day-state.ts";
import { DifferenceList } from "./difference-list.tsx";
import { exportJson } from "./export-json.ts";
import { ProofForm } from "./proof-form.tsx";

/** One day: its totals, and its differences by name. */
export function DayPage({ day }: { day: string }) {
  const answer = useAnswer<Calendar>(`/certificates/calendar?from=${day}&to=${day}`);
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

const TONES = {
  equal: "good",
  missing: "bad",
  differs: "wait",
  refused: "wait",
  unproven: "plain",
  none: "plain",
} as const;

function Certified({ day, certified }: { day: string; certified: CalendarDay }) {
  const { source, certificateId, madeAt, paid, stored, published, missing, differences } = certified;
  const state = stateOfDay(day, certified, day, null);
  return (
    <section class="section" aria-label={`Source ${source}`}>
      <div class="section-head">
        <h2>
          Source {source} <Badge state={state} tone={TONES[state]} as={wordsOfDay(state, certified)} />
        </h2>
        <div class="actions">
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
      <table class="totals">
        <caption class="unseen">Totals of the day</caption>
        <thead>
          <tr>
            <th scope="col">Live payments</th>
            <th scope="col">Number</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {(
            [
              ["Paid at the provider", paid],
              ["Stored here", stored],
              ["Published", published],
              ["Missing", missing],
            ] as const
          ).map(([name, tally]) => (
            <tr key={name} class={name === "Missing" && tally.count > 0 ? "is-missing" : ""}>
              <th scope="row">{name}</th>
              <td>{countText(tally.count)}</td>
              <td>
                <Money amount={tally.amount} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="completeness-made">
        By the certificate made <Time at={madeAt} as="full" />.
      </p>
      <DifferenceList {...{ certificateId, day }} counted={missing.count + differences} />
    </section>
  );
}
