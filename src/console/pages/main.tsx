import { render } from "preact";
import { readSession, session } from "./api/client.ts";
import { startLook } from "./kit/look.ts";
import { Frame } from "./shell/frame.tsx";
import { SignIn } from "./shell/tools.tsx";

/** Nothing until it is known who is there; then the way in, or the pages. */
function App() {
  const { value: state } = session;
  if (state.kind === "unknown") return null;
  return state.kind === "signed_out" ? <SignIn why={state.why} /> : <Frame who={state.who} />;
}

startLook();
void readSession();
const app = document.getElementById("app");
if (app !== null) render(<App />, app);
