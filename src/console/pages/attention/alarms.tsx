import { isUuid } from "../../../kit/ids.ts";
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

/** Where that is looked at and decided which an alarm is about. */
const PLACES: Readonly<Record<string, (id: string) => string>> = {
  provider_answer_outside_contract: (id) => `payments/${id}`,
  invoice_anomaly: (id) => `payments/${id}`,
  invoice_unanswered: (id) => `payments/${id}`,
  event_truncated: (id) => `payments/${id}`,
  confirmation_dead: (id) => `attention/dead/${id}`,
  event_dead: (id) => `attention/dead/${id}`,
  invoice_quarantined: (id) => `attention/quarantine/${id}`,
  replay_failed: (id) => `replays/${id}`,
  callback_refused: () => "attention/refused",
  certificate_gap: () => "completeness",
  certificate_failing: () => "completeness",
  sweep_failing: () => "completeness",
  source_failing: () => "settings",
  source_paused: () => "settings",
  topic_failing: () => "settings",
  topic_paused: () => "settings",
};

/** What it is about: its name, or an id's beginning; a link where there is a page. */
export function AlarmSubject({ alarm: { subject, name } }: { alarm: Pick<ListedAlarm, "name" | "subject"> }) {
  const place = PLACES[name]?.(encodeURIComponent(subject));
  const shown = isUuid(subject) ? (
    <code title={subject}>{subject.slice(0, 8)}…</code>
  ) : (
    <Outside text={subject === "" ? "the relay" : subject} />
  );
  return place === undefined ? shown : <Link to={place}>{shown}</Link>;
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
