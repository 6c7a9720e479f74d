import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { liveStatus } from "../api/live.ts";
import type { Status } from "../api/types.ts";
import { countText } from "../kit/money-text.ts";
import { go, Link } from "../kit/router.tsx";
import { headlineOf } from "../now/headline.ts";
import type { PageProps } from "../pages.ts";
import { PageHead } from "../parts/page-head.tsx";
import { AlarmList } from "./alarm-list.tsx";
import { AnomalyList } from "./anomaly-list.tsx";
import { DeadLetterList } from "./dead-letters.tsx";
import { QuarantineList } from "./quarantine.tsx";
import { RefusedList } from "./refused-list.tsx";
import { UndeliveredShown } from "./undelivered-shown.tsx";

interface Tab {
  path: string;
  title: string;
  /** How many wait there; null where nobody counts them. */
  count: (status: Status) => number | null;
  component: ComponentType;
}

const alarmsNamed = ({ openAlarms }: Status, name: string) =>
  openAlarms.find((alarm) => alarm.name === name)?.count ?? 0;

const TABS: readonly Tab[] = [
  {
    path: "dead",
    title: "Dead letters",
    count: ({ dead }) => dead.confirmations + dead.events,
    component: DeadLetterList,
  },
  {
    path: "quarantine",
    title: "Quarantine",
    count: (status) => status.quarantined,
    component: QuarantineList,
  },
  {
    path: "anomalies",
    title: "Anomalies",
    count: (status) => alarmsNamed(status, "invoice_anomaly"),
    component: AnomalyList,
  },
  { path: "refused", title: "Refused callbacks", count: () => null, component: RefusedList },
  {
    path: "alarms",
    title: "Alarms",
    count: ({ openAlarms }) => openAlarms.reduce((sum, { count }) => sum + count, 0),
    component: AlarmList,
  },
];

/** What waits for a person, and what to do about it. */
export function AttentionPage({ rest: [path, id] }: PageProps) {
  const tab = TABS.find((one) => one.path === path);
  const status = liveStatus.value;
  useEffect(() => {
    if (tab !== undefined || status === null) return;
    // Whoever comes for what waits sees it, not a list that is empty.
    const first = TABS.find(({ count }) => (count(status) ?? 0) > 0) ?? TABS[0];
    go(`attention/${first?.path}`, { replace: true });
  }, [tab, status]);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone they are wider than the screen.
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [tab, status !== null]);
  if (tab !== undefined && id !== undefined && (path === "dead" || path === "quarantine"))
    return <UndeliveredShown list={path} id={id} />;
  const List = tab?.component;
  return (
    <>
      <PageHead title="Attention" says={status === null ? undefined : headlineOf(status)} />
      <nav ref={tabs} class="tabs" aria-label="What waits">
        {TABS.map((one) => {
          const count = status === null ? null : one.count(status);
          return (
            <Link
              key={one.path}
              to={`attention/${one.path}`}
              class="tab"
              aria-current={one === tab ? "page" : undefined}
            >
              {one.title}
              {count !== null && count > 0 && <span class="tab-count">{countText(count)}</span>}
            </Link>
          );
        })}
      </nav>
      {List !== undefined && <List />}
    </>
  );
}
