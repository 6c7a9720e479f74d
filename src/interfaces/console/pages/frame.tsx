import { effect } from "@preact/signals";
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { may, type Session, signOut } from "./api/client.ts";
import { connection, isPageLive, listen, liveStatus, proof } from "./api/live.ts";
import { useAnswer } from "./api/use-answer.ts";
import { AttentionPage } from "./attention/attention-page.tsx";
import { CallbacksPage } from "./callbacks/callbacks-page.tsx";
import { CompletenessPage } from "./completeness/calendar-page.tsx";
import { Link, segments } from "./kit/router.tsx";
import { visibleText } from "./kit/text.ts";
import { inUtc, keptChoice, switchZone, zone } from "./kit/time.ts";
import { thingsIn } from "./now/headline.tsx";
import { NowPage } from "./now/now-page.tsx";
import { ConfirmDialog } from "./parts/acts.tsx";
import { Empty, Notices, PageHead } from "./parts/page.tsx";
import { Button, currencies, Icon, type IconName } from "./parts/values.tsx";
import { PaymentsPage } from "./payments/payments-page.tsx";
import { ReplaysPage } from "./replays/replays-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";

type PageComponent = ComponentType<{ rest: readonly string[] }>;

/**
 * Every page, in the order of the navigation: its first path segment below `/console/`, the operation of the admin
 * API without which there is nothing to see there, and what shows it, given the segments that follow.
 */
const PAGES: readonly [path: string, title: string, icon: IconName, needs: string, PageComponent][] = [
  ["", "Now", "pulse", "readStatus", NowPage],
  ["payments", "Payments", "payment", "listInvoices", PaymentsPage],
  ["callbacks", "Callbacks", "inbox", "listCallbacks", CallbacksPage],
  ["attention", "Attention", "flag", "listDead", AttentionPage],
  ["completeness", "Completeness", "calendar", "readCalendar", CompletenessPage],
  ["replays", "Replays", "replay", "listReplays", ReplaysPage],
  ["settings", "Settings & audit", "dials", "readSettings", SettingsPage],
];

/** The frame of every page: the navigation, the connection, the session. */
export function Frame({ who }: { who: Session }) {
  const [first = "", ...rest] = segments.value;
  const pages = PAGES.filter(([, , , needs]) => may(needs));
  const ThePage = pages.find(([path]) => path === first)?.[4];
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(listen, []);
  const sources = useAnswer("/settings", {}).data?.sources;
  useEffect(() => {
    currencies.value = new Map(sources?.map(({ name, currency }) => [name, currency]));
  }, [sources]);
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
            <nav aria-label="Pages">
              <ul>
                {pages.map(([path, title, icon]) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside is what is pressed.
                  <li key={path} onClick={() => setMenuOpen(false)}>
                    <Link to={path} class="tool" aria-current={path === first ? "page" : undefined}>
                      <Icon name={icon} />
                      <span>{title}</span>
                      {path === "attention" && <Waiting />}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <Tools who={who} />
          </div>
        </div>
      </aside>
      <main ref={main} class="main" tabIndex={-1}>
        <PageBoundary where={[first, ...rest].join("/")}>
          {ThePage !== undefined ? (
            <ThePage rest={rest} />
          ) : (
            <>
              <PageHead title="There is no such page" />
              <Empty title="There is no page at this address, or your role may not see it.">
                <Link to="">Go to Now</Link>
              </Empty>
            </>
          )}
        </PageBoundary>
      </main>
      <Notices />
      <ConfirmDialog />
    </div>
  );
}

const WORDS = {
  connecting: ["Waiting", "The live connection is being made."],
  live: ["Live", "Changes appear as they happen."],
  connected: ["Online", "The relay answers. This page shows the state at the time you opened it."],
  lost: ["Not live", "This page may be out of date."],
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

/** The number of items that wait for a person; on a phone it is outside the menu. */
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

/** A page that breaks takes nothing else with it: the way to the others stays, and what went wrong is said. */
class PageBoundary extends Component<{ where: string; children: ComponentChildren }> {
  override state: { where: string; error?: unknown } = { where: "" };

  /** Another address gets a new chance. */
  static override getDerivedStateFromProps = ({ where }: { where: string }, state: { where: string }) =>
    where === state.where ? null : { where, error: undefined };

  static override getDerivedStateFromError = (error: unknown) => ({ error });

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <PageHead title="This page cannot be shown" />
        <Empty title="Something in it broke the console; the relay is not touched by that.">
          <code>{visibleText(String(error))}</code>
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
}

const themes = keptChoice("theme", ["system", "light", "dark"]);
const THEMES = {
  system: ["screen", "as the system"],
  light: ["sun", "light"],
  dark: ["moon", "dark"],
} as const;
effect(() => {
  document.documentElement.dataset.theme = themes.chosen.value;
});

function Tools({ who }: { who: Session }) {
  const [picture, colours] = THEMES[themes.chosen.value];
  return (
    <div class="stack tools">
      <button type="button" class="tool" onClick={switchZone} aria-pressed={inUtc.value}>
        <Icon name="clock" />
        <span>Times in {zone.value.replaceAll("_", " ")}</span>
      </button>
      <button type="button" class="tool" onClick={themes.next}>
        <Icon name={picture} />
        <span>Colours: {colours}</span>
      </button>
      <div class="row who">
        <Icon name="person" />
        <span class="grow">
          <b>{who.name}</b>
          <small>{ROLE_WORDS[who.role]}</small>
        </span>
        <Button icon="leave" label="Sign out" onClick={() => void signOut()} />
      </div>
    </div>
  );
}

const ROLE_WORDS: Record<Session["role"], string> = {
  read: "may read",
  operate: "may operate",
  admin: "may do everything",
};

export function Mark() {
  return (
    <span class="mark">
      <svg class="icon" viewBox="0 0 32 32" aria-hidden="true">
        <path d="M7 10h10.5a5.5 5.5 0 0 1 0 11H14" />
        <path class="mark-out" d="M18 16.5 13.5 21l4.5 4.5" />
      </svg>
      invoice-relay
    </span>
  );
}
