import { liveStatus } from "../api/live.ts";
import { may } from "../api/session.ts";
import type { Status } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { PAGES, type Page } from "../pages.ts";
import { Icon } from "../parts/icon.tsx";

/** How many things on the page Attention wait for a person. */
const waitingIn = ({ dead, quarantined, openAlarms }: Status): number =>
  dead.confirmations + dead.events + quarantined + openAlarms.reduce((sum, { count }) => sum + count, 0);

/** The pages that whoever is signed in may see. */
export function Navigation({ current, onGo }: { current: Page | undefined; onGo: () => void }) {
  const waiting = liveStatus.value === null ? 0 : waitingIn(liveStatus.value);
  return (
    <nav class="nav" aria-label="Pages">
      <ul>
        {PAGES.filter(({ needs }) => may(needs)).map((page) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside is what is pressed.
          <li key={page.path} onClick={onGo}>
            <Link to={page.path} class="nav-link" aria-current={page === current ? "page" : undefined}>
              <Icon name={page.icon} />
              <span>{page.title}</span>
              {page.path === "attention" && waiting > 0 && (
                <span class="nav-count">
                  {waiting > 999 ? "999+" : waiting}
                  <span class="unseen"> waiting for a person</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
