import { ALARMS, CLOSED } from "../../../../operations/views/alarms.ts";
import { get, type Status } from "../api/client.ts";
import { doubt, newestStatus } from "../api/status.ts";
import { REFUSED } from "../callbacks/callbacks-page.tsx";
import { headlineOf } from "../now/headline.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { fieldsOf, perform } from "../parts/operations.ts";
import { PageHead, Tabs } from "../parts/page.tsx";
import { DEAD, HELD, LIST_LIMIT } from "./undelivered.tsx";

type ListedAlarm = Status["alarms"][number];

/** Every open alarm, with what to do. Most close by themselves when what they are about is over. */
const OPEN: ListDefinition<ListedAlarm> = {
  of: ALARMS,
  keyOf: ({ name, source, subject }) => `${name}/${source}/${subject}`,
  filters: fieldsOf("listAlarms", ["name", "source"]),
  read: (given, _, signal) => get("/alarms", { query: { ...given, limit: LIST_LIMIT } }, signal),
  acts: [
    {
      operation: "closeAlarms",
      title: "Close",
      async run(rows, reason) {
        const alarms = rows.map(({ name, source, subject }) => ({ name, source, subject }));
        return CLOSED.says?.(await perform("closeAlarms", { alarms, reason })) ?? "";
      },
    },
  ],
};

interface Tab {
  path: string;
  title: string;
  // biome-ignore lint/suspicious/noExplicitAny: each list is of rows of its own, which only it knows.
  list: ListDefinition<any>;
  count?: (status: Status) => number;
}

const TABS: readonly [Tab, ...Tab[]] = [
  {
    ...{ path: "alarms", title: "Alarms", list: OPEN },
    count: ({ openAlarms }) => openAlarms.reduce((sum, { count }) => sum + count, 0),
  },
  {
    ...{ path: "dead", title: "Dead letters", list: DEAD },
    count: ({ dead }) => dead.confirmations + dead.events,
  },
  {
    ...{ path: "quarantine", title: "Quarantine", list: HELD },
    count: ({ quarantined }) => quarantined,
  },
  { path: "refused", title: "Refused callbacks", list: REFUSED },
];

/** Lists items that wait for a person, with their remedies. */
export function AttentionPage({ rest: [path] }: { rest: readonly string[] }) {
  const { value: status } = newestStatus;
  const tab = TABS.find((one) => one.path === path) ?? TABS[0];
  return (
    <>
      <PageHead title="Attention" says={status === null ? undefined : headlineOf(status, doubt.value)} />
      <Tabs
        label="Kinds of items"
        tabs={TABS.map(({ path, title, count }) => ({
          to: `attention/${path}`,
          title,
          count: status === null ? null : (count?.(status) ?? null),
        }))}
        current={`attention/${tab.path}`}
      />
      <List key={tab.path} list={tab.list} />
    </>
  );
}
