import { Link } from "../kit/router.tsx";
import { withoutCommand } from "../kit/without-command.ts";
import { Outside } from "../parts/outside.tsx";
import { wordOf } from "../parts/state-words.ts";
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

/** An alarm as a person calls it. */
export const alarmName = ({ name, source, subject }: ListedAlarm): string =>
  `alarm ${wordOf(name)}${subject === "" ? "" : `, ${subject}`}${source === "" ? "" : `, of ${source}`}`;

/** So many are shown, the newest first. */
export const ALARMS_SHOWN = 200;

/** Where that is looked at and decided which an alarm with an id of its own is about. */
const PLACES: Readonly<Record<string, string>> = {
  provider_answer_outside_contract: "payments",
  invoice_anomaly: "payments",
  event_truncated: "payments",
  confirmation_dead: "attention/dead",
  event_dead: "attention/dead",
  invoice_quarantined: "attention/quarantine",
  replay_failed: "replays",
};

/** What it is about: something that can be opened, or its name. */
export function AlarmSubject({ alarm: { subject, name } }: { alarm: Pick<ListedAlarm, "name" | "subject"> }) {
  const place = PLACES[name];
  if (place !== undefined)
    return (
      <Link to={`${place}/${encodeURIComponent(subject)}`}>
        <code>{subject.slice(0, 8)}…</code>
      </Link>
    );
  return subject === "" ? <>the relay</> : <Outside text={subject} />;
}

export const DETAIL: Column<ListedAlarm> = {
  head: "What is wrong",
  cell: ({ detail, action }) => (
    <span class="alarm-text">
      <Outside text={withoutCommand(detail)} />
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
