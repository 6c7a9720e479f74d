import { Link } from "../kit/router.tsx";
import { Outside } from "../parts/outside.tsx";
import type { Column } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";

/** An alarm as the admin API lists it. */
export interface ListedAlarm {
  name: string;
  source: string;
  subject: string;
  detail: string;
  raisedAt: string;
  lastRaisedAt: string;
  clearedAt: string | null;
  times: number;
  /** What to do about it. */
  action: string;
}

export const alarmKey = ({ name, source, subject }: ListedAlarm): string => `${name}/${source}/${subject}`;

/** So many are shown, the newest first. */
export const ALARMS_SHOWN = 200;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What it is about: a payment, which can be opened, or something else by its name. */
export function AlarmSubject({ alarm: { subject, name } }: { alarm: ListedAlarm }) {
  if (UUID.test(subject) && !name.startsWith("event") && name !== "replay_failed")
    return (
      <Link to={`payments/${subject}`}>
        <code>{subject.slice(0, 8)}…</code>
      </Link>
    );
  return subject === "" ? <>the relay</> : <Outside text={subject} />;
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
