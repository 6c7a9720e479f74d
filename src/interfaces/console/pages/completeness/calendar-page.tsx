import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { addDays, bookDayOf, dayOf } from "../../../../platform/values/time.ts";
import type { Calendar } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link, query, setQuery } from "../kit/router.tsx";
import { moneyText } from "../kit/text.ts";
import { now } from "../kit/time.ts";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { Button, Icon } from "../parts/values.tsx";
import { DayPage } from "./day-page.tsx";
import {
  type CalendarDay,
  type DayState,
  daysFromTo,
  type Month,
  monthsBefore,
  monthsFromTo,
  periodToProve,
  sentenceOf,
  stateOfDay,
  summaryOf,
  toneOfDay,
  wordsOfDay,
} from "./day-state.ts";
import { ProofForm, ReportForm } from "./proof-form.tsx";

const SHOWN = 3;
const MOST_BACK = 1_200;

/** The newest months first, each day green or with what is missing; and the way to prove or heal a period. */
function CalendarPage() {
  const today = dayOf(now.value);
  const back = Math.min(MOST_BACK, Math.max(0, Math.trunc(Number(query.value.get("back"))) || 0));
  const from = monthsBefore(today, back + SHOWN - 1);
  const to = back === 0 ? today : addDays(monthsBefore(today, back - 1), -1);
  const answer = useAnswer("/certificates/calendar", { query: { from, to } });
  return (
    <Answered answer={answer} what="certificates">
      {(calendar) => <Shown {...{ calendar, back, from, to }} onDone={answer.reload} />}
    </Answered>
  );
}

interface ShownProps {
  calendar: Calendar;
  back: number;
  from: string;
  to: string;
  onDone: () => void;
}

function Shown({ calendar, back, from, to, onDone }: ShownProps) {
  const sources = calendar.firstServed.map(({ source }) => source);
  const [chosen, setSource] = useState(sources[0] ?? "");
  const servedAt = calendar.firstServed.find(({ source }) => source === chosen)?.at ?? null;
  const zone = calendar.books.find(({ source }) => source === chosen)?.timeZone ?? "UTC";
  const servedSince = servedAt === null ? null : bookDayOf(Date.parse(servedAt), zone);
  const today = bookDayOf(now.value, zone);
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
        <Button icon="back" onClick={() => turn(SHOWN)}>
          Earlier
        </Button>
        <Button disabled={back === 0} onClick={() => turn(-SHOWN)}>
          Later
          <Icon name="next" />
        </Button>
      </PageHead>
      {summary.proven + summary.open === 0 && (
        <Empty title="No certificate of these months yet.">
          <p>
            <code>serve</code> makes one each day, an hour after midnight, once COLLECTION_IDS says which
            lists to read. Below you can make one now, of days that are over.
          </p>
        </Empty>
      )}
      <Legend states={states} />
      <div class="columns" style={{ "--least": "28rem" }}>
        {monthsFromTo(from, to)
          .toReversed()
          .map((month) => (
            <MonthGrid key={month.name} {...{ month, stateOf, certified }} />
          ))}
        <div>
          <Section title="Prove or heal a period">
            <ProofForm {...periodToProve(from, servedSince, today)} zone={zone} onDone={onDone} />
          </Section>
          <ReportForm from={monthsBefore(today, 1)} to={addDays(monthsBefore(today, 0), -1)} />
        </div>
      </div>
    </>
  );
}

/** Whether every payment came through, day by day; a day opens to what is missing by name. */
export const CompletenessPage = ({ rest: [day] }: { rest: readonly string[] }) =>
  day !== undefined && isDay(day) ? <DayPage key={day} day={day} /> : <CalendarPage />;

/** Whether the calendar has it: `2026-02-30` is none. */
const isDay = (text: string): boolean => new Date(text).toJSON()?.slice(0, 10) === text;

const monthText = (month: string): string =>
  new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface MonthGridProps {
  month: Month;
  stateOf: (day: string) => DayState;
  certified: ReadonlyMap<string, CalendarDay>;
}

/** A month as a calendar; words repeat the meaning of a day's colour. */
function MonthGrid({ month: { name, weeks }, stateOf, certified }: MonthGridProps) {
  return (
    <table class="month">
      <caption>{monthText(name)}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((weekday) => (
            <th key={weekday} scope="col">
              {weekday}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, index) => (
              <td key={index}>
                {day !== null && <DayCell day={day} state={stateOf(day)} certified={certified.get(day)} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayCellProps {
  day: string;
  state: DayState;
  certified: CalendarDay | undefined;
}

function DayCell({ day, state, certified }: DayCellProps) {
  const number = Number(day.slice(8));
  if (state === "none") return <span class="day">{number}</span>;
  const words = wordsOfDay(state, certified);
  return (
    <Link to={`completeness/${day}`} class={`day is-${toneOfDay(state)}`}>
      <span>{number}</span>
      <span class="day-mark" aria-hidden="true">
        {state === "missing" ? (
          <>
            <b>
              {certified?.missing.count}
              <span class="day-word"> missing</span>
            </b>
            <span>{moneyText(certified?.missing.amount ?? "0")}</span>
          </>
        ) : (
          MARKS[state][1]
        )}
      </span>
      <span class="unseen">{words}</span>
    </Link>
  );
}

/** The meaning of a day's mark, and the mark; for missing payments it is their number. */
const MARKS: Readonly<Record<Exclude<DayState, "none">, readonly [means: string, mark: ComponentChildren]>> =
  {
    equal: ["every payment came through", <Icon key="mark" name="check" />],
    missing: ["payments are missing", "2"],
    differs: ["nothing is missing, but look", "look"],
    refused: ["could not be proven", "?"],
    unproven: ["no certificate yet", "–"],
  };

const STATES = Object.keys(MARKS) as (keyof typeof MARKS)[];

/** The legend of the marks that the calendar shows. */
function Legend({ states }: { states: readonly DayState[] }) {
  const there = STATES.filter((state) => states.includes(state));
  if (there.length === 0) return null;
  return (
    <ul class="row legend">
      {there.map((state) => (
        <li key={state} class="row">
          <span class={`day is-${toneOfDay(state)}`} aria-hidden="true">
            {MARKS[state][1]}
          </span>
          {MARKS[state][0]}
        </li>
      ))}
    </ul>
  );
}
