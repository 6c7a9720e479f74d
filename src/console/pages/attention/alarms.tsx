import { isUuid } from "../../../kit/uuid.ts";
import type { Status } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { Outside } from "../parts/outside.tsx";
import { wordOf } from "../parts/state-words.ts";
import type { Column } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";

/** An alarm as the admin API lists it. */
export type ListedAlarm = Status["alarms"][number];

export const alarmKey = ({ name, source, subject }: ListedAlarm): string => `${name}/${source}/${subject}`;

/** An alarm as a person calls it. */
export const alarmName = ({ name, source, subject }: ListedAlarm): string =>
  `alarm ${wordOf(name)}${subject === "" ? "" : `, ${subject}`}${source === "" ? "" : `, of ${source}`}`;

/** So many are shown, the newest first. */
export const ALARMS_SHOWN = 200;

/** The pages of what alarms are about. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  invoice: (id) => `payments/${id}`,
  dead_letter: (id) => `attention/dead/${id}`,
  quarantined_invoice: (id) => `attention/quarantine/${id}`,
  replay: (id) => `replays/${id}`,
  refused_callbacks: () => "attention/refused",
  certificate: () => "completeness",
  collection: () => "completeness",
  upstream: () => "settings",
};

/** What it is about: its name, or an id's beginning; a link where there is a page. */
export function AlarmSubject({
  alarm: { subject, about },
}: {
  alarm: Pick<ListedAlarm, "about" | "subject">;
}) {
  const page = PAGES[about]?.(encodeURIComponent(subject));
  const shown = isUuid(subject) ? (
    <code title={subject}>{subject.slice(0, 8)}…</code>
  ) : (
    <Outside text={subject === "" ? "the relay" : subject} />
  );
  return page === undefined ? shown : <Link to={page}>{shown}</Link>;
}

export const DETAIL: Column<ListedAlarm> = {
  head: "What is wrong",
  cell: ({ detail, action }) => (
    <span class="alarm-text">
      <Outside text={detail} />
      <small>{action}</small>
    </span>
  ),
  kind: "wide",
};

export const SINCE: Column<ListedAlarm> = {
  head: "Since",
  cell: ({ raisedAt, times }) => (
    <>
      <Ago at={raisedAt} />
      {times > 1 && <small> {times} times</small>}
    </>
  ),
  phone: "side",
};
