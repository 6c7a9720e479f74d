import { useEffect } from "preact/hooks";
import { ALARMS, CLOSED, NOTED, SNOOZED } from "../../../../operations/views/alarms.ts";
import type { CallInput, OperationAt } from "../../../admin-api/open-api.ts";
import { get, post, type Status } from "../api/client.ts";
import { liveStatus, proof, useLive } from "../api/live.ts";
import { REFUSED } from "../callbacks/callbacks-page.tsx";
import { go } from "../kit/router.tsx";
import { countText, theyAre } from "../kit/text.ts";
import { headlineOf } from "../now/headline.tsx";
import { endChosen, endFields } from "../parts/acts.tsx";
import type { Values } from "../parts/form.tsx";
import { LIST_LIMIT, List, type ListDefinition, type RowsAct, readCounted } from "../parts/list.tsx";
import { fieldsOf, perform } from "../parts/operations.ts";
import { PageHead, Tabs } from "../parts/page.tsx";
import { DEAD, HELD, UndeliveredPage } from "./undelivered.tsx";

const countIn = ({ list }: (typeof TABS)[number], status: Status | null): number | null =>
  status === null ? null : (list.figure?.(status) ?? null);

/** Lists items that wait for a person, with their remedies. */
export function AttentionPage({ rest: [path, id] }: { rest: readonly string[] }) {
  const tab = TABS.find((one) => one.path === path);
  const status = liveStatus.value;
  useLive(id === undefined);
  useEffect(() => {
    if (tab !== undefined || status === null) return;
    // The page opens on the first list that is not empty.
    const first = TABS.find((one) => (countIn(one, status) ?? 0) > 0) ?? TABS[0];
    go(`attention/${first?.path}`, { replace: true });
  }, [tab, status]);
  if (id !== undefined && (path === "dead" || path === "quarantine"))
    return <UndeliveredPage list={path} id={id} />;
  return (
    <>
      <PageHead title="Attention" says={status === null ? undefined : headlineOf(status, proof.value)} />
      <Tabs
        label="Kinds of items"
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

const countAlarms = ({ openAlarms }: Status, named?: string): number =>
  openAlarms
    .filter(({ name }) => named === undefined || name === named)
    .reduce((sum, { count }) => sum + count, 0);

/** The alarms of an act: the chosen ones, or all open ones that match the filters. */
type Selected = CallInput<OperationAt<"post", "/alarms/close">>["body"]["alarms"];

const chosen = (alarms: readonly ListedAlarm[]): Selected =>
  alarms.map(({ name, source, subject }) => ({ name, source, subject }));

function allOpen({ name }: Values): Selected {
  const names = liveStatus.value?.openAlarms.map((open) => open.name) ?? [];
  return names.filter((one) => name === undefined || one === name).map((one) => ({ name: one }));
}

type Meaning = (values: Values) => Readonly<Record<string, unknown>>;

/** The same for some and for all. @param given what its fields mean */
function alarmAct(
  operation: string,
  title: string,
  view: typeof CLOSED,
  {
    fields,
    given = () => ({}),
    ...always
  }: Pick<RowsAct<never>, "fields"> & { given?: Meaning; name?: string } = {},
): RowsAct<ListedAlarm> {
  const act = async (alarms: Selected, reason: string | undefined, values: Values) =>
    view.says?.(await perform(operation, { alarms, reason, ...given(values) })) ?? "";
  return {
    ...{ operation, title, fields },
    run: (alarms, ...rest) => act(chosen(alarms), ...rest),
    runAll: (reason, filters, values) => act(allOpen({ ...filters, ...always }), reason, values),
  };
}

const CLOSING = ["closeAlarms", "Close", CLOSED] as const;
const SNOOZING = alarmAct("snoozeAlarms", "Snooze", SNOOZED, {
  fields: endFields(),
  given: (values) => ({ until: endChosen(values)?.toISOString() }),
});
const NOTING = alarmAct("noteAlarms", "Note", NOTED, {
  fields: () => fieldsOf("noteAlarms", ["note"]),
  given: ({ note = "" }) => ({ note }),
});

const ASKING: RowsAct<ListedAlarm> = {
  operation: "askAgain",
  title: "Ask again",
  isMain: true,
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
const keyOf = ({ name, source, subject }: ListedAlarm) => `${name}/${source}/${subject}`;

/** Every open alarm, with what to do. Most close by themselves when what they are about is over. */
const OPEN: ListDefinition<ListedAlarm> = {
  of: ALARMS,
  keyOf,
  // Of those that are open.
  filters: [{ name: "name", label: "Alarm", kind: "alarm" }],
  read: readCounted("/alarms"),
  acts: [alarmAct(...CLOSING), SNOOZING, NOTING],
  figure: (status) => countAlarms(status),
};

/** Payments whose answers are odd: they count all the same, and a person should know. */
const ANOMALIES: ListDefinition<ListedAlarm> = {
  of: {
    ...ALARMS,
    one: "anomaly",
    many: "anomalies",
    none: "No anomalies.",
    why: "Payments whose amount changed after payment, or whose sums do not add up, are listed here.",
  },
  keyOf,
  read: readCounted("/alarms", ANOMALY),
  acts: [ASKING, alarmAct(...CLOSING, ANOMALY)],
  figure: (status) => countAlarms(status, "invoice_anomaly"),
};

// biome-ignore lint/suspicious/noExplicitAny: each list is of rows of its own, which only it knows.
const TABS: readonly { path: string; title: string; list: ListDefinition<any> }[] = [
  { path: "dead", title: "Dead letters", list: DEAD },
  { path: "quarantine", title: "Quarantine", list: HELD },
  { path: "anomalies", title: "Anomalies", list: ANOMALIES },
  { path: "refused", title: "Refused callbacks", list: REFUSED },
  { path: "alarms", title: "Alarms", list: OPEN },
];
