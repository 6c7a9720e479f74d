import { isUuid } from "../../../kit/ids.ts";
import { post } from "../api/client.ts";
import type { Status } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import type { Field } from "../parts/fields.tsx";
import { type ListDefinition, type RowsAct, readPages } from "../parts/list.tsx";
import { Empty } from "../parts/page.tsx";
import { Ago, Badge, Outside, ShortId } from "../parts/values.tsx";
import { wordOf } from "../parts/words.ts";

/** An alarm as the admin API lists it. */
type ListedAlarm = Status["alarms"][number];

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
export function AlarmSubject({ alarm: { about, subject } }: { alarm: ListedAlarm }) {
  const page = PAGES[about]?.(encodeURIComponent(subject));
  const shown = isUuid(subject) ? <ShortId id={subject} /> : <Outside text={subject || "the relay"} />;
  return page === undefined ? shown : <Link to={page}>{shown}</Link>;
}

export const countAlarms = ({ openAlarms }: Status, named?: string): number =>
  openAlarms
    .filter(({ name }) => named === undefined || name === named)
    .reduce((sum, { count }) => sum + count, 0);

const subjectField = (name: string, look: Pick<Field<never>, "phone"> = {}): Field<ListedAlarm> => ({
  name,
  show: (alarm) => <AlarmSubject alarm={alarm} />,
  ...look,
});

const DETAIL: Field<ListedAlarm> = {
  name: "What is wrong",
  show: ({ detail, action }) => (
    <>
      <Outside text={detail} />
      <small class="block quiet">{action}</small>
    </>
  ),
  kind: "wide",
};

const SINCE: Field<ListedAlarm> = {
  name: "Since",
  show: ({ raisedAt, times }) => (
    <>
      <Ago at={raisedAt} />
      {times > 1 && <small> {times} times</small>}
    </>
  ),
  phone: "side",
};

/** Takes alarms off the list that somebody has seen to. */
const CLOSE: RowsAct<ListedAlarm> = {
  operation: "closeAlarms",
  title: "Close",
  says: (count) =>
    `${count === 1 ? "It is" : "They are"} no longer listed. What is still wrong, or goes wrong again, is raised anew.`,
  async run(alarms, reason) {
    const chosen = alarms.map(({ name, source, subject }) => ({ name, source, subject }));
    await post("/alarms/close", { body: { alarms: chosen, reason } });
    return alarms.length === 1 ? "An alarm was closed." : `${countText(alarms.length)} alarms were closed.`;
  },
};

/** Asks the provider about the invoices once more: does it still say so? */
const ASK_AGAIN: RowsAct<ListedAlarm> = {
  operation: "askAgain",
  title: "Ask again",
  isMain: true,
  says: (count) =>
    `The provider is asked about ${count === 1 ? "this invoice" : `these ${countText(count)} invoices`} once more.`,
  async run(alarms, reason) {
    for (const { subject: id, source } of alarms)
      await post("/invoices/{id}/ask", { path: { id }, body: { source, reason } });
    return alarms.length === 1 ? "It is being asked." : `${countText(alarms.length)} are being asked.`;
  },
};

const ROWS = {
  keyOf: ({ name, source, subject }: ListedAlarm) => `${name}/${source}/${subject}`,
  nameOf: ({ name, source, subject }: ListedAlarm) =>
    `alarm ${wordOf(name)}${subject && `, ${subject}`}${source && `, of ${source}`}`,
};

/** Every open alarm, with what to do. Most close by themselves when what they are about is over. */
export const ALARMS: ListDefinition<ListedAlarm> = {
  ...ROWS,
  what: "alarms",
  caption: "Open alarms, the newest first",
  fields: [
    { name: "Alarm", show: ({ name }) => <Badge state={name} tone="bad" />, kind: "text", phone: "lead" },
    DETAIL,
    subjectField("About"),
    SINCE,
  ],
  read: readPages("/alarms", { limit: 200 }),
  empty: (
    <Empty title="No alarm is open.">
      <p>What needs a person is listed here, and sent where ALARM_WEBHOOK_URL leads.</p>
    </Empty>
  ),
  acts: [CLOSE],
  figure: (status) => countAlarms(status),
};

/** Payments whose answers are odd: they count all the same, and somebody should know. */
export const ANOMALIES: ListDefinition<ListedAlarm> = {
  ...ROWS,
  what: "anomalies",
  caption: "Anomalies, the newest first",
  fields: [subjectField("Payment", { phone: "lead" }), DETAIL, SINCE],
  read: readPages("/alarms", { name: "invoice_anomaly", limit: 200 }),
  empty: (
    <Empty title="No anomalies.">
      <p>Here stand payments whose amount changed after payment, or whose sums do not add up.</p>
    </Empty>
  ),
  acts: [ASK_AGAIN, CLOSE],
  figure: (status) => countAlarms(status, "invoice_anomaly"),
};
