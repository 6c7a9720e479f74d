import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { may } from "../api/client.ts";
import { connection, isPageLive, listen, liveStatus, proof } from "../api/live.ts";
import type { Session } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AttentionPage } from "../attention/attention-page.tsx";
import { CallbacksPage } from "../callbacks/callback-page.tsx";
import { CompletenessPage } from "../completeness/calendar-page.tsx";
import { Link, segments } from "../kit/router.tsx";
import { visibleText } from "../kit/text.ts";
import { thingsIn } from "../now/headline.tsx";
import { NowPage } from "../now/now-page.tsx";
import { ConfirmDialog } from "../parts/acts.tsx";
import { Empty, Notices, PageHead } from "../parts/page.tsx";
import { Button, currencies, Icon, type IconName } from "../parts/values.tsx";
import { PaymentsPage } from "../payments/payments-page.tsx";
import { ReplaysPage } from "../replays/replays-page.tsx";
import { SettingsPage } from "../settings/settings-page.tsx";
import { Mark, Tools } from "./tools.tsx";

interface Page {
  /** Its first path segment below `/console/`; "" is where one arrives. */
  path: string;
  title: string;
  icon: IconName;
  /** The operation of the admin API without which there is nothing to see here. */
  needs: string;
  /** `rest`: what follows its own path: `["<id>"]` for `/console/payments/<id>`. */
  component: ComponentType<{ rest: readonly string[] }>;
}

const page = (
  path: string,
  title: string,
  icon: IconName,
  needs: string,
  component: Page["component"],
): Page => ({ path, title, icon, needs, component });

/** Every page, in the order of the navigation. A new page registers itself here and nowhere else. */
const PAGES: readonly Page[] = [
  page("", "Now", "pulse", "readStatus", NowPage),
  page("payments", "Payments", "payment", "listInvoices", PaymentsPage),
  page("callbacks", "Callbacks", "inbox", "listCallbacks", CallbacksPage),
  page("attention", "Attention", "flag", "listDead", AttentionPage),
  page("completeness", "Completeness", "calendar", "readCalendar", CompletenessPage),
  page("replays", "Replays", "replay", "listReplays", ReplaysPage),
  page("settings", "Settings & audit", "dials", "readSettings", SettingsPage),
];

/** What stands around every page: the way to the others, the connection, who is there. */
export function Frame({ who }: { who: Session }) {
  const [first = "", ...rest] = segments.value;
  const page = PAGES.find(({ path, needs }) => path === first && may(needs));
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(listen, []);
  const sources = useAnswer("/settings", {}).data?.sources;
  useEffect(() => {
    currencies.value = new Map(sources?.map(({ name, currency }) => [name, currency]));
  }, [sources]);
  const PageComponent = page?.component;
  return (
    <div class={isMenuOpen ? "frame is-menu-open" : "frame"}>
      <Button is="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </Button>
      <aside class="side">
        <div class="side-stays">
          <div class="spread side-top">
            <Mark />
            <Connection />
            {may("listDead") && (
              <Link to="attention" class="phone-only">
                <Waiting />
              </Link>
            )}
            <Button
              is="phone-only"
              icon={isMenuOpen ? "close" : "menu"}
              label={isMenuOpen ? "Close the menu" : "Open the menu"}
              aria-expanded={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
            />
          </div>
          <div class="side-body">
            <Navigation current={page} onGo={() => setMenuOpen(false)} />
            <Tools who={who} />
          </div>
        </div>
      </aside>
      <main ref={main} class="main" tabIndex={-1}>
        <PageBoundary where={[first, ...rest].join("/")}>
          {PageComponent === undefined ? <NoPage /> : <PageComponent rest={rest} />}
        </PageBoundary>
      </main>
      <Notices />
      <ConfirmDialog />
    </div>
  );
}

function NoPage() {
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty title="Nothing stands at this address, or your role may not see it.">
        <p>
          <Link to="">Go to Now</Link>
        </p>
      </Empty>
    </>
  );
}

const WORDS = {
  connecting: ["Connecting", "The live connection is being made."],
  live: ["Live", "What happens is shown as it happens."],
  connected: ["Connected", "The relay answers. What is on this page was read when you opened it."],
  lost: ["Not live", "What you see may be old."],
} as const;

function Connection() {
  const { value: known } = proof;
  const state =
    known?.isFresh === false || connection.value === "lost"
      ? "lost"
      : known === null
        ? "connecting"
        : isPageLive.value
          ? "live"
          : "connected";
  const [word, says] = WORDS[state];
  return (
    <span class={`connection is-${state}`} role="status" title={says}>
      {word}
    </span>
  );
}

/** How many things wait for a person; on a phone it stands outside of the menu. */
function Waiting() {
  const waiting = liveStatus.value === null ? 0 : thingsIn(liveStatus.value);
  if (waiting === 0) return null;
  const isOld = proof.value?.isFresh === false;
  return (
    <span class={`badge is-${isOld ? "plain" : "bad"}`}>
      {waiting > 999 ? "999+" : waiting}
      <span class="unseen"> waiting for a person{isOld && ", when last known"}</span>
    </span>
  );
}

function Navigation({ current, onGo }: { current: Page | undefined; onGo: () => void }) {
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.filter(({ needs }) => may(needs)).map((page) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside is what is pressed.
          <li key={page.path} onClick={onGo}>
            <Link to={page.path} class="tool" aria-current={page === current ? "page" : undefined}>
              <Icon name={page.icon} />
              <span>{page.title}</span>
              {page.path === "attention" && <Waiting />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface BoundaryProps {
  /** The page's address: another one gets a new chance. */
  where: string;
  children: ComponentChildren;
}

interface BoundaryState {
  where: string;
  error: unknown;
}

/** A page that breaks takes nothing else with it: the way to the others stays, and what went wrong is said. */
class PageBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { where: "", error: undefined };

  static override getDerivedStateFromProps = ({ where }: BoundaryProps, state: BoundaryState) =>
    where === state.where ? null : { where, error: undefined };

  static override getDerivedStateFromError = (error: unknown) => ({ error });

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render({ children }: BoundaryProps, { error }: BoundaryState) {
    return error === undefined ? children : <Broken error={error} />;
  }
}

function Broken({ error }: { error: unknown }) {
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <Empty title="Something in it broke the console; the relay is not touched by that.">
        <p>
          <code>{visibleText(String(error))}</code>
        </p>
        <p class="row">
          <Button is="is-primary" onClick={() => location.reload()}>
            Load it again
          </Button>
          <Link to="" class="button">
            Go to Now
          </Link>
        </p>
      </Empty>
    </>
  );
}
