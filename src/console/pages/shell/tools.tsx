import { signOut } from "../api/session.ts";
import type { Session } from "../api/types.ts";
import { switchTheme, type Theme, theme } from "../kit/theme.ts";
import { inUtc, switchZone, zone } from "../kit/zone.ts";
import { Icon, type IconName } from "../parts/icon.tsx";

const THEME_ICONS: Record<Theme, IconName> = { system: "screen", light: "sun", dark: "moon" };
const THEME_WORDS: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };

/** Who is there, and how they like to see things. */
export function Tools({ who, onHelp }: { who: Session; onHelp: () => void }) {
  return (
    <div class="tools">
      <button type="button" class="tool" onClick={switchZone} aria-pressed={inUtc.value} title="Turn (u)">
        <Icon name="clock" />
        <span>Times in {zone.value.replaceAll("_", " ")}</span>
      </button>
      <button type="button" class="tool" onClick={switchTheme}>
        <Icon name={THEME_ICONS[theme.value]} />
        <span>Colours: {THEME_WORDS[theme.value]}</span>
      </button>
      <button type="button" class="tool" onClick={onHelp} title="Open (?)">
        <Icon name="keys" />
        <span>Keyboard</span>
      </button>
      <div class="who">
        <Icon name="person" />
        <span class="who-name">
          <b>{who.name}</b>
          <small>{ROLE_WORDS[who.role]}</small>
        </span>
        <button
          type="button"
          class="icon-button"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => void signOut()}
        >
          <Icon name="leave" />
        </button>
      </div>
    </div>
  );
}

const ROLE_WORDS: Record<Session["role"], string> = {
  read: "may read",
  operate: "may operate",
  admin: "may do everything",
};
