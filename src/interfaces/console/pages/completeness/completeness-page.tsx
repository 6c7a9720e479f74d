import { type Field, source, text } from "../../../../operations/views/view.ts";
import { addDays, bookDayOf, dayOf } from "../../../../platform/values/time.ts";
import type { Calendar } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link, query } from "../kit/router.tsx";
import { type Column, Table } from "../parts/fields.tsx";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { Badge } from "../parts/values.tsx";
import { DayPage } from "./day-page.tsx";
import {
  type CalendarDay,
  type DayState,
  daysFromTo,
  sentenceOf,
  stateOfDay,
  toneOfDay,
  wordsOfDay,
} from "./day-state.ts";
import { Reports } from "./reports.tsx";

/** Whether every payment came through, day by day; a day opens to what is missing by name. */
export const CompletenessPage = ({ rest: [day] }: { rest: readonly string[] }) =>
  day !== undefined && isDay(day) ? <DayPage day={day} /> : <DaysPage />;

/** Whether the calendar has it: `2026-02-30` is none. */
const isDay = (text: string): boolean => new Date(text).toJSON()?.slice(0, 10) === text;

const SHOWN_DAYS = 31;

/** The newest days first, and the way to prove or heal a period. */
function DaysPage() {
  const last = query.value.get("to") ?? "";
  const to = isDay(last) ? last : dayOf(Date.now());
  const from = addDays(to, 1 - SHOWN_DAYS);
  const answer = useAnswer("/certificates/calendar", { query: { from, to } });
  const rows = answer.data === null ? [] : rowsOf(answer.data, from, to);
  return (
    <>
      <PageHead
        title="Completeness"
        says={answer.data === null ? undefined : sentenceOf(rows.map(({ state }) => state))}
      >
        <Link to={`completeness?to=${addDays(from, -1)}`} class="button">
          Earlier
        </Link>
        {query.value.has("to") && (
          <Link to="completeness" class="button">
            Newest
          </Link>
        )}
      </PageHead>
      <Answered answer={answer} what="certificates">
        {({ days }) => (
          <>
            {days.length === 0 && (
              <Empty title="No certificate of these days yet.">
                <p>
                  <code>serve</code> makes one each day, an hour after midnight, once COLLECTION_IDS says
                  which lists to read.
                </p>
              </Empty>
            )}
            {rows.length > 0 && (
              <Table
                caption="days"
                fields={COLUMNS}
                rows={rows}
                keyOf={({ day, source }) => `${day} ${source}`}
                to={({ day }) => `completeness/${day}`}
              />
            )}
          </>
        )}
      </Answered>
      <Section title="Prove or heal a period">
        <p>
          <code>
            invoice-relay certify --from {from} --to {addDays(to, -1)}
          </code>{" "}
          proves it, <code>invoice-relay reconcile</code> with the same options heals it. A single day is
          certified and reconciled on its own page.
        </p>
      </Section>
      <Reports first={{ from, to }} />
    </>
  );
}

interface Row {
  day: string;
  source: string;
  state: DayState;
  certified: CalendarDay | undefined;
}

/** The days of each source since it was first served, or certified; the newest first. */
function rowsOf({ days, firstServed, books }: Calendar, from: string, to: string): Row[] {
  const certifiedOn = new Map(days.map((one) => [`${one.source} ${one.day}`, one]));
  return daysFromTo(from, to)
    .toReversed()
    .flatMap((day) =>
      firstServed.map(({ source, at }): Row => {
        const zone = books.find((one) => one.source === source)?.timeZone ?? "UTC";
        const servedSince = at === null ? null : bookDayOf(Date.parse(at), zone);
        const certified = certifiedOn.get(`${source} ${day}`);
        const state = stateOfDay(day, certified, bookDayOf(Date.now(), zone), servedSince);
        return { day, source, state, certified };
      }),
    )
    .filter(({ state }) => state !== "none");
}

const STATE: Column<Row> = {
  label: "State",
  phone: "side",
  show: ({ state, certified }) => (
    <Badge state={state} tone={toneOfDay(state)} as={wordsOfDay(state, certified)} />
  ),
};

const DAY: Field<Row> = text("Day", "day", { phone: "lead" });
const COLUMNS: readonly Column<Row>[] = [DAY, STATE, source()];
