import { useEffect, useRef } from "preact/hooks";
import { signIn, signOut } from "../api/client.ts";
import type { Session } from "../api/types.ts";
import { inUtc, switchTheme, switchZone, type Theme, theme, zone } from "../kit/look.ts";
import { useTask } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { Button, Icon, type IconName } from "../parts/values.tsx";

const THEME_ICONS: Record<Theme, IconName> = { system: "screen", light: "sun", dark: "moon" };
const THEME_WORDS: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };

export function Tools({ who }: { who: Session }) {
  return (
    <div class="stack tools">
      <button type="button" class="tool" onClick={switchZone} aria-pressed={inUtc.value}>
        <Icon name="clock" />
        <span>Times in {zone.value.replaceAll("_", " ")}</span>
      </button>
      <button type="button" class="tool" onClick={switchTheme}>
        <Icon name={THEME_ICONS[theme.value]} />
        <span>Colours: {THEME_WORDS[theme.value]}</span>
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

/** The way in, with one of ADMIN_TOKENS. @param why what happened before, if something did. */
export function SignIn({ why }: { why: string | null }) {
  const field = useRef<HTMLInputElement>(null);
  const { isBusy, problem, run } = useTask();
  useEffect(() => {
    document.title = "Sign in · invoice-relay";
    field.current?.focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    if (token === "") return;
    void run(() => signIn(token)).then((isIn) => isIn || field.current?.select());
  };
  return (
    <main class="sign-in">
      <div class="sheet stack">
        <Mark />
        <h1>Sign in to the console</h1>
        {why !== null && problem === null && <p class="quiet">{why}</p>}
        <form class="stack" onSubmit={submit}>
          <label class="field">
            <span>Admin token</span>
            <input ref={field} type="password" name="token" autoComplete="current-password" required />
          </label>
          {problem !== null &&
            (problem.status === 401 ? (
              <p class="toned is-bad" role="alert">
                This is none of the relay’s admin tokens. See that it was copied whole.
              </p>
            ) : (
              <Problem problem={problem} />
            ))}
          <Button is="is-primary" disabled={isBusy}>
            {isBusy ? "Signing in…" : "Sign in"}
          </Button>
        </form>
        <p class="quiet">
          The token is the last part of an entry of <code>ADMIN_TOKENS</code>, after name and role. You stay
          signed in for half an hour after your last click, and for twelve hours at most.
        </p>
      </div>
    </main>
  );
}

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
