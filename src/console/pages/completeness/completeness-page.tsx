import { CalendarPage } from "./calendar-page.tsx";
import { DayPage } from "./day-page.tsx";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether every payment came through, day by day; a day opens to what is missing by name. */
export function CompletenessPage({ rest: [day] }: { rest: readonly string[] }) {
  return day !== undefined && DAY.test(day) ? <DayPage key={day} day={day} /> : <CalendarPage />;
}
