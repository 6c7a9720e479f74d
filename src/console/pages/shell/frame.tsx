import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { listen } from "../api/live.ts";
import { may } from "../api/session.ts";
import type { Session } from "../api/types.ts";
import { type Shortcut, useShortcuts } from "../kit/keyboard.ts";
import { go, Link, segments } from "../kit/router.tsx";
import { switchZone } from "../kit/zone.ts";
import { PAGES } from "../pages.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notices } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty } from "../parts/states.tsx";
import { stepRow } from "../parts/table.tsx";
import { Connection } from "./connection.tsx";
import { Mark } from "./mark.tsx";
import { Navigation } from "./navigation.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";
import { Tools } from "./tools.tsx";

/** What stands around every page: the way to the others, the connection, who is there. */
export function Frame({ who }: { who: Session }) {
  const [first = "", ...rest] = segments.value;
  const page = PAGES.find(({ path, needs }) => path === first && may(needs));
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(listen, []);
  useShortcuts(useMemo(() => shortcuts(() => setHelpOpen(true)), []));
  const PageComponent = page?.component;
  return (
    <div class={isMenuOpen ? "frame is-menu-open" : "frame"}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <aside class="side">
        <div class="side-stays">
          <div class="side-top">
            <Mark />
            <Connection />
            <button
              type="button"
              class="icon-button menu-button"
              aria-label={isMenuOpen ? "Close the menu" : "Open the menu"}
              aria-expanded={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
            >
              <Icon name={isMenuOpen ? "close" : "menu"} />
            </button>
          </div>
          <div class="side-body">
            <Navigation current={page} onGo={() => setMenuOpen(false)} />
            <Tools who={who} onHelp={() => setHelpOpen(true)} />
          </div>
        </div>
      </aside>
      <main ref={main} class="main" tabIndex={-1}>
        {PageComponent === undefined ? <NoPage /> : <PageComponent rest={rest} />}
      </main>
      <Notices />
      <ConfirmDialog />
      {isHelpOpen && <ShortcutsHelp onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

const shortcuts = (help: () => void): Shortcut[] => [
  ...PAGES.filter(({ needs }) => may(needs)).map(({ key, title, path }) => ({
    keys: `g ${key}`,
    what: `Go to ${title}`,
    act: () => go(path),
  })),
  { keys: "/", what: "Search a payment", act: search },
  { keys: "j", what: "Next row", act: () => stepRow(1) },
  { keys: "k", what: "Row before", act: () => stepRow(-1) },
  { keys: "u", what: "Turn times between your zone and UTC", act: switchZone },
  { keys: "?", what: "Show these keys", act: help },
];

function search(): void {
  const field = () => document.querySelector<HTMLInputElement>("input[type=search]");
  if (field() === null) go("payments");
  requestAnimationFrame(() => field()?.focus());
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
