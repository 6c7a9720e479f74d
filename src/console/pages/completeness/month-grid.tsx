import type { ComponentChildren } from "preact";
import type { KnownMonth } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { moneyText } from "../kit/text.ts";
import { Badge, Icon } from "../parts/values.tsx";
import type { Tone } from "../parts/words.ts";
import { type CalendarDay, type DayState, type Month, toneOfDay, wordsOfDay } from "./day-state.ts";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface MonthGridProps {
  month: Month;
  stateOf: (day: string) => DayState;
  certified: ReadonlyMap<string, CalendarDay>;
  /** Whether the books of it are closed; undefined while it is not over. */
  closed: KnownMonth | undefined;
}

/** One month as a calendar; what a day's colour says stands in words as well. */
export function MonthGrid({ month: { name, weeks }, stateOf, certified, closed }: MonthGridProps) {
  return (
    <table class="month">
      <caption>
        {closed === undefined ? (
          monthText(name)
        ) : (
          <>
            <Link to={`completeness/${name}`}>{monthText(name)}</Link> <MonthBadge month={closed} />
          </>
        )}
      </caption>
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

function DayCell({
  day,
  state,
  certified,
}: {
  day: string;
  state: DayState;
  certified: CalendarDay | undefined;
}) {
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
          MARKS[state]
        )}
      </span>
      <span class="unseen">{words}</span>
    </Link>
  );
}

const MARKS: Record<Exclude<DayState, "missing" | "none">, ComponentChildren> = {
  equal: <Icon name="check" />,
  differs: "look",
  refused: "?",
  unproven: "–",
};

const MEANS: Readonly<Record<Exclude<DayState, "none">, string>> = {
  equal: "every payment came through",
  missing: "payments are missing",
  differs: "nothing is missing, but look",
  refused: "could not be proven",
  unproven: "no certificate yet",
};

const STATES = Object.keys(MEANS) as (keyof typeof MEANS)[];

/** What the marks of a calendar mean, as far as there are any. */
export function Legend({ states }: { states: readonly DayState[] }) {
  const there = STATES.filter((state) => states.includes(state));
  if (there.length === 0) return null;
  return (
    <ul class="row legend">
      {there.map((state) => (
        <li key={state} class="row">
          <span class={`day is-${toneOfDay(state)}`} aria-hidden="true">
            {state === "missing" ? "2" : MARKS[state]}
          </span>
          {MEANS[state]}
        </li>
      ))}
    </ul>
  );
}

/** `October 2026`. @param month YYYY-MM */
export const monthText = (month: string): string =>
  new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );

const MONTH_STATES: Readonly<Record<KnownMonth["state"], readonly [tone: Tone, word: string]>> = {
  open: ["plain", "open"],
  closed: ["good", "closed"],
  changed: ["wait", "changed since"],
};

/** Whether the books of a month are closed. */
export function MonthBadge({ month: { state } }: { month: KnownMonth }) {
  const [tone, word] = MONTH_STATES[state];
  return <Badge state={state} tone={tone} as={word} />;
}
