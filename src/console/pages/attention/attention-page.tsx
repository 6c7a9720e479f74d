import { useEffect } from "preact/hooks";
import { liveStatus, proof, useLive } from "../api/live.ts";
import type { Status } from "../api/types.ts";
import { REFUSED } from "../callbacks/callback-lists.tsx";
import { go } from "../kit/router.tsx";
import { headlineOf } from "../now/headline.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { PageHead, Tabs } from "../parts/page.tsx";
import { ALARMS, ANOMALIES } from "./alarms.tsx";
import { DEAD_LETTERS, QUARANTINE, UndeliveredPage } from "./undelivered.tsx";

// biome-ignore lint/suspicious/noExplicitAny: each list is of rows of its own, which only it knows.
const TABS: readonly { path: string; title: string; list: ListDefinition<any> }[] = [
  { path: "dead", title: "Dead letters", list: DEAD_LETTERS },
  { path: "quarantine", title: "Quarantine", list: QUARANTINE },
  { path: "anomalies", title: "Anomalies", list: ANOMALIES },
  { path: "refused", title: "Refused callbacks", list: REFUSED },
  { path: "alarms", title: "Alarms", list: ALARMS },
];

/** How many wait there; null where nobody counts them. */
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
