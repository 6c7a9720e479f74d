import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { readSession, session, signIn } from "./api/client.ts";
import { Frame } from "./frame.tsx";
import { useTask } from "./parts/form.tsx";
import { Problem } from "./parts/page.tsx";
import { Button } from "./parts/values.tsx";

/** Empty until the session is known; then the sign-in form, or the pages. */
function App() {
  const { value: state } = session;
  if (state.kind === "unknown") return null;
  return state.kind === "signed_out" ? <SignIn why={state.why} /> : <Frame who={state.who} />;
}

/** The way in, with one of ADMIN_TOKENS. @param why what happened before, if something did. */
function SignIn({ why }: { why: string | null }) {
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
        <b>invoice-relay</b>
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
                The relay has no such admin token. Check that it was copied whole.
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

void readSession();
const app = document.getElementById("app");
if (app !== null) render(<App />, app);
