import type { ComponentType } from "preact";
import { useErrorBoundary, useRef } from "preact/hooks";
import { may, type Session, signOut } from "./api/client.ts";
import { doubt, newestStatus, useStatus } from "./api/status.ts";
import { AttentionPage } from "./attention/attention-page.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { CallbacksPage } from "./callbacks/callbacks-page.tsx";
import { CompletenessPage } from "./completeness/completeness-page.tsx";
import { Link, segments } from "./kit/router.tsx";
import { visibleText } from "./kit/text.ts";
import { thingsIn } from "./now/headline.tsx";
import { NowPage } from "./now/now-page.tsx";
import { ConfirmDialog } from "./parts/acts.tsx";
import { Empty, NoticeShown, PageHead } from "./parts/page.tsx";
import { Button } from "./parts/values.tsx";
import { PaymentsPage } from "./payments/payments-page.tsx";
import { ReplaysPage } from "./replays/replays-page.tsx";

type PageComponent = ComponentType<{ rest: readonly string[] }>;

/**
 * Every page, in the order of the navigation: its first path segment below `/console/`, the operation of the admin
 * API without which there is nothing to see there, and what shows it, given the segments that follow.
 */
const PAGES: readonly [path: string, title: string, needs: string, PageComponent][] = [
  ["", "Now", "readStatus", NowPage],
  ["payments", "Payments", "listInvoices", PaymentsPage],
  ["callbacks", "Callbacks", "listCallbacks", CallbacksPage],
  ["attention", "Attention", "listDead", AttentionPage],
  ["completeness", "Completeness", "readCalendar", CompletenessPage],
  ["replays", "Replays", "listReplays", ReplaysPage],
  ["audit", "Audit", "readAuditLog", AuditPage],
];

/** The frame of every page: the navigation, the session. */
export function Frame({ who }: { who: Session }) {
  const [first = "", ...rest] = segments.value;
  const pages = PAGES.filter(([, , needs]) => may(needs));
  const page = pages.find(([path]) => path === first)?.[3];
  const main = useRef<HTMLElement>(null);
  useStatus();
  return (
    <>
      <Button is="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </Button>
      <header class="spread top">
        <b>invoice-relay</b>
        <nav class="tabs" aria-label="Pages">
          {pages.map(([path, title]) => (
            <Link key={path} to={path} class="tab" aria-current={path === first ? "page" : undefined}>
              {title} {path === "attention" && <Waiting />}
            </Link>
          ))}
        </nav>
        <span class="row">
          <small>
            {who.name}, {ROLE_WORDS[who.role]}
          </small>
          <Button is="is-quiet" onClick={() => void signOut()}>
            Sign out
          </Button>
        </span>
      </header>
      <main ref={main} class="main" tabIndex={-1}>
        <PageShown key={[first, ...rest].join("/")} page={page} rest={rest} />
      </main>
      <NoticeShown />
      <ConfirmDialog />
    </>
  );
}

/** A page that breaks takes nothing else with it. */
function PageShown({ page: ThePage, rest }: { page: PageComponent | undefined; rest: readonly string[] }) {
  const [error] = useErrorBoundary((fault) => reportError(fault));
  if (error !== undefined)
    return <PageHead title="This page cannot be shown" says={visibleText(String(error))} />;
  if (ThePage !== undefined) return <ThePage rest={rest} />;
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty title="There is no page at this address, or your role may not see it." />
    </>
  );
}

/** The number of items that wait for a person. */
function Waiting() {
  const waiting = newestStatus.value === null ? 0 : thingsIn(newestStatus.value);
  if (waiting === 0) return null;
  return (
    <span class={`badge is-${doubt.value === null ? "bad" : "plain"}`}>
      {waiting > 999 ? "999+" : waiting}
      <span class="unseen"> waiting for a person{doubt.value !== null && ", when last known"}</span>
    </span>
  );
}

const ROLE_WORDS: Record<Session["role"], string> = {
  read: "may read",
  operate: "may operate",
  admin: "may do everything",
};
