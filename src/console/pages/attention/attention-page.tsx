import { useEffect } from "preact/hooks";
import type { CallInput, OperationAt } from "../../../api/calls.ts";
import { isUuid } from "../../../kit/ids.ts";
import { ApiProblem, get, post, type Status } from "../api/client.ts";
import { liveStatus, proof, useLive } from "../api/live.ts";
import { REFUSED } from "../callbacks/callbacks-page.tsx";
import { go, Link } from "../kit/router.tsx";
import { capital, countText, numberOf, theyAre } from "../kit/text.ts";
import { headlineOf } from "../now/headline.tsx";
import { endChosen, endFields } from "../parts/acts.tsx";
import type { Field } from "../parts/fields.tsx";
import type { Values } from "../parts/form.tsx";
import { LIST_LIMIT, List, type ListDefinition, type RowsAct, readCounted } from "../parts/list.tsx";
import { PageHead, Tabs } from "../parts/page.tsx";
import { Ago, Badge, Icon, Outside, ShortId, Time } from "../parts/values.tsx";
import { doHere, sayHere, wordOf } from "../parts/words.ts";
import { DEAD_LETTERS, QUARANTINE, UndeliveredPage } from "./undelivered.tsx";

const countIn = ({ list }: (typeof TABS)[number], status: Status | null): number | null =>
  status === null ? null : (list.figure?.(status) ?? null);

/** What waits for a person, and what to do about it. */
export function AttentionPage({ rest: [path, id] }: { rest: readonly string[] }) {
  const tab = TABS.find((one) => one.path === path);
  const status = liveStatus.value;
  useLive(id === undefined);
  useEffect(() => {
    if (tab !== undefined || status === null) return;
    // Whoever comes for what waits sees it, not a list that is empty.
    const first = TABS.find((one) => (countIn(one, status) ?? 0) > 0) ?? TABS[0];
    go(`attention/${first?.path}`, { replace: true });
  }, [tab, status]);
  if (id !== undefined && (path === "dead" || path === "quarantine"))
    return <UndeliveredPage list={path} id={id} />;
  return (
    <>
      <PageHead title="Attention" says={status === null ? undefined : headlineOf(status, proof.value)} />
      <Tabs
        label="What waits"
        tabs={TABS.map((one) => ({
          to: `attention/${one.path}`,
          title: one.title,
          count: countIn(one, status),
        }))}
        current={`attention/${path}`}
      />
      {tab !== undefined && <List key={path} list={tab.list} />}
    </>
  );
}

type ListedAlarm = Status["alarms"][number];

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
function AlarmSubject({ alarm: { about, subject } }: { alarm: ListedAlarm }) {
  const page = PAGES[about]?.(encodeURIComponent(subject));
  const shown = isUuid(subject) ? <ShortId id={subject} /> : <Outside text={subject || "the relay"} />;
  return page === undefined ? shown : <Link to={page}>{shown}</Link>;
}

const countAlarms = ({ openAlarms }: Status, named?: string): number =>
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
  show: ({ name, detail, action, note: noted }) => (
    <>
      <Outside text={sayHere(detail)} />
      {noted !== null && (
        <p class="line">
          <Icon name="flag" /> <Outside text={noted} />
        </p>
      )}
      <small class="block quiet">
        <Outside text={doHere(name, action)} />
      </small>
    </>
  ),
  kind: "wide",
};

const SINCE: Field<ListedAlarm> = {
  name: "Since",
  show: ({ raisedAt, times, snoozedUntil }) => (
    <>
      <Ago at={raisedAt} />
      {times > 1 && <small> {times} times</small>}
      {snoozedUntil !== null && (
        <small class="block">
          snoozed until <Time at={snoozedUntil} />
        </small>
      )}
    </>
  ),
  phone: "side",
};

/** What an act is about: those that are chosen, or all open ones of what is filtered for. */
type Meant = CallInput<OperationAt<"post", "/alarms/close">>["body"]["alarms"];

const chosen = (alarms: readonly ListedAlarm[]): Meant =>
  alarms.map(({ name, source, subject }) => ({ name, source, subject }));

function allOpen({ name }: Values): Meant {
  const names = liveStatus.value?.openAlarms.map((open) => open.name) ?? [];
  return names.filter((one) => name === undefined || one === name).map((one) => ({ name: one }));
}

interface AlarmAct extends Omit<RowsAct<ListedAlarm>, "run" | "runAll"> {
  /** @returns how many were open. */
  act: (alarms: Meant, reason: string | undefined, values: Values) => Promise<{ count: number }>;
  done: string;
}

/** The same for some and for all. @param always what its list is of, whatever else it is filtered by. */
function alarmAct({ act, done, ...words }: AlarmAct, always: { name?: string } = {}): RowsAct<ListedAlarm> {
  const said = async (alarms: Meant, reason: string | undefined, values: Values) => {
    const { count } = await act(alarms, reason, values);
    return `${numberOf(count, "alarm was", "alarms were")} ${done}.`;
  };
  return {
    ...words,
    run: (alarms, ...given) => said(chosen(alarms), ...given),
    runAll: (reason, given, values) => said(allOpen({ ...given, ...always }), reason, values),
  };
}

const CLOSE: AlarmAct = {
  operation: "closeAlarms",
  title: "Close",
  says: (count) =>
    `${theyAre(count)} no longer listed. What is still wrong, or goes wrong again, is raised anew.`,
  act: (alarms, reason) => post("/alarms/close", { body: { alarms, reason } }),
  done: "closed",
};

const SNOOZE: AlarmAct = {
  operation: "snoozeAlarms",
  title: "Snooze",
  says: (count) =>
    `Nobody is told of ${count === 1 ? "it" : "them"} until then. What still lasts at that time is told again.`,
  fields: endFields(),
  act(alarms, reason, values) {
    const until = endChosen(values);
    if (until === null) throw new ApiProblem(400, "Choose when they are told again.");
    return post("/alarms/snooze", { body: { alarms, until: until.toISOString(), reason } });
  },
  done: "snoozed",
};

const NOTE: AlarmAct = {
  operation: "noteAlarms",
  title: "Note",
  says: () => "For whoever looks next: who sees to it, or what was found out. An empty note takes it away.",
  fields: () => [
    { name: "note", label: "Note", kind: "lines", hint: "no personal data", input: { maxLength: 500 } },
  ],
  act: (alarms, reason, { note = "" }) => post("/alarms/note", { body: { alarms, note, reason } }),
  done: "noted",
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
    return `${theyAre(alarms.length)} being asked.`;
  },
  async runAll(reason) {
    const { items, total } = await get("/alarms", { query: { ...ANOMALY, limit: LIST_LIMIT } });
    const invoiceIds = [...new Set(items.map(({ subject }) => subject))];
    await post("/replays", { body: { kind: "confirmations", filters: { invoiceIds }, reason } });
    const rest = total > items.length ? ` Of ${countText(total)} these are the newest.` : "";
    return `${countText(invoiceIds.length)} are being asked, by a replay.${rest}`;
  },
};

const ANOMALY = { name: "invoice_anomaly" } as const;

const ROWS = {
  keyOf: ({ name, source, subject }: ListedAlarm) => `${name}/${source}/${subject}`,
  nameOf: ({ name, source, subject }: ListedAlarm) =>
    `alarm ${wordOf(name)}${subject && `, ${subject}`}${source && `, of ${source}`}`,
};

/** Every open alarm, with what to do. Most close by themselves when what they are about is over. */
const ALARMS: ListDefinition<ListedAlarm> = {
  ...ROWS,
  what: "alarms",
  caption: "Open alarms, the newest first",
  fields: [
    {
      name: "Alarm",
      show: ({ name, title, severity }) => (
        <>
          <Badge state={severity} tone={severity === "critical" ? "bad" : "wait"} />
          <b class="block">{capital(title)}</b>
          <small class="block">
            <code>{name}</code>
          </small>
        </>
      ),
      kind: "text",
      phone: "lead",
    },
    DETAIL,
    subjectField("About"),
    SINCE,
  ],
  filters: [{ name: "name", label: "Alarm", kind: "alarm" }],
  read: readCounted("/alarms"),
  empty: ["No alarm is open.", "What needs a person is listed here, and sent where ALARM_WEBHOOK_URL leads."],
  acts: [alarmAct(CLOSE), alarmAct(SNOOZE), alarmAct(NOTE)],
  figure: (status) => countAlarms(status),
};

/** Payments whose answers are odd: they count all the same, and somebody should know. */
const ANOMALIES: ListDefinition<ListedAlarm> = {
  ...ROWS,
  what: "anomalies",
  caption: "Anomalies, the newest first",
  fields: [subjectField("Payment", { phone: "lead" }), DETAIL, SINCE],
  read: readCounted("/alarms", ANOMALY),
  empty: [
    "No anomalies.",
    "Here stand payments whose amount changed after payment, or whose sums do not add up.",
  ],
  acts: [ASK_AGAIN, alarmAct(CLOSE, ANOMALY)],
  figure: (status) => countAlarms(status, "invoice_anomaly"),
};

// biome-ignore lint/suspicious/noExplicitAny: each list is of rows of its own, which only it knows.
const TABS: readonly { path: string; title: string; list: ListDefinition<any> }[] = [
  { path: "dead", title: "Dead letters", list: DEAD_LETTERS },
  { path: "quarantine", title: "Quarantine", list: QUARANTINE },
  { path: "anomalies", title: "Anomalies", list: ANOMALIES },
  { path: "refused", title: "Refused callbacks", list: REFUSED },
  { path: "alarms", title: "Alarms", list: ALARMS },
];
