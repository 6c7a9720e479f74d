import { useState } from "preact/hooks";
import { addDays, dayOf } from "../../../kit/time.ts";
import type { Calendar } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { query, setQuery } from "../kit/router.tsx";
import { Icon } from "../parts/icon.tsx";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { DayPage } from "./day-page.tsx";
import { daysFromTo, monthsBefore, monthsFromTo, sentenceOf, stateOfDay, summaryOf } from "./day-state.ts";
import { Legend, MonthGrid } from "./month-grid.tsx";
import { ProofForm } from "./proof-form.tsx";

/** Months on one page. */
const SHOWN = 3;

/** The newest months first, each day green or with what is missing; and the way to prove or heal a period. */
function CalendarPage() {
  const today = dayOf(Date.now());
  const back = Math.max(0, Number(query.value.get("back")) || 0);
  const from = monthsBefore(today, back + SHOWN - 1);
  const to = back === 0 ? today : addDays(monthsBefore(today, back - 1), -1);
  const answer = useAnswer("/certificates/calendar", { query: { from, to } });
  return (
    <Answered answer={answer} what="certificates">
      {(calendar) => <Shown {...{ calendar, today, back, from, to }} onDone={answer.reload} />}
    </Answered>
  );
}

interface ShownProps {
  calendar: Calendar;
  today: string;
  /** How many months before the newest. */
  back: number;
  from: string;
  to: string;
  onDone: () => void;
}

function Shown({ calendar, today, back, from, to, onDone }: ShownProps) {
  const sources = calendar.firstServed.map(({ source }) => source);
  const [chosen, setSource] = useState(sources[0] ?? "");
  const servedAt = calendar.firstServed.find(({ source }) => source === chosen)?.at ?? null;
  const servedSince = servedAt === null ? null : dayOf(Date.parse(servedAt));
  const certified = new Map(
    calendar.days.filter(({ source }) => source === chosen).map((day) => [day.day, day]),
  );
  const stateOf = (day: string) => stateOfDay(day, certified.get(day), today, servedSince);
  const states = daysFromTo(from, to).map(stateOf);
  const summary = summaryOf(states, [...certified.values()]);
  const turn = (months: number) => setQuery({ back: back + months > 0 ? String(back + months) : undefined });
  return (
    <>
      <PageHead title="Completeness" says={sentenceOf(summary)}>
        {sources.length > 1 && (
          <label class="field">
            <span class="unseen">Source</span>
            <select value={chosen} onChange={(event) => setSource(event.currentTarget.value)}>
              {sources.map((source) => (
                <option key={source} value={source}>
                  {source}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="button" class="button" onClick={() => turn(SHOWN)}>
          <Icon name="back" />
          Earlier
        </button>
        <button type="button" class="button" disabled={back === 0} onClick={() => turn(-SHOWN)}>
          Later
          <Icon name="next" />
        </button>
      </PageHead>
      {summary.proven + summary.open === 0 && (
        <Empty title="No certificate of these months yet.">
          <p>
            <code>serve</code> makes one each day, an hour after midnight (UTC), once COLLECTION_IDS says
            which lists to read. Below you can make one now, of days that are over.
          </p>
        </Empty>
      )}
      <Legend states={states} />
      <div class="months">
        {monthsFromTo(from, to)
          .toReversed()
          .map((month) => (
            <MonthGrid key={month.name} month={month} stateOf={stateOf} certified={certified} />
          ))}
        <Section title="Prove or heal a period">
          <ProofForm
            from={servedSince !== null && servedSince > from ? servedSince : from}
            to={addDays(today, -1)}
            onDone={onDone}
          />
        </Section>
      </div>
    </>
  );
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether every payment came through, day by day; a day opens to what is missing by name. */
export function CompletenessPage({ rest: [day] }: { rest: readonly string[] }) {
  return day !== undefined && DAY.test(day) ? <DayPage key={day} day={day} /> : <CalendarPage />;
}
