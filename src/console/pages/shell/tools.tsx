import { useEffect, useRef } from "preact/hooks";
import type { Session } from "../../../api/session-schemas.ts";
import { signOut } from "../api/session.ts";
import { shortcutsNow } from "../kit/keyboard.ts";
import { inUtc, switchTheme, switchZone, type Theme, theme, zone } from "../kit/look.ts";
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

/** Every key that does something on this page. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        {shortcutsNow().map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
