import { computed, signal } from "@preact/signals";
import { ApiProblem, get, post, remove, withSession } from "./client.ts";
import type { Session } from "./types.ts";

type SessionState =
  | { kind: "unknown" }
  /** `why` says what happened, when somebody was signed in before or the relay cannot tell. */
  | { kind: "signed_out"; why: string | null }
  | { kind: "signed_in"; who: Session };

export const session = signal<SessionState>({ kind: "unknown" });

const operations = computed(() =>
  session.value.kind === "signed_in" ? new Set(session.value.who.operations) : new Set<string>(),
);

/** Whether whoever is signed in may do this: an operation's id in the admin API's document. */
export const may = (operation: string): boolean => operations.value.has(operation);

/** Asks who is signed in, at the start and when something else was refused. */
export async function readSession(): Promise<void> {
  try {
    enter(await get("/session", {}));
  } catch (problem) {
    if (!(problem instanceof ApiProblem)) throw problem;
    if (problem.status === 401) leave(null);
    // A relay that starts again is no reason to lose the page.
    else if (session.value.kind !== "signed_in") leave(problem.message);
  }
}

/** @throws ApiProblem */
export async function signIn(token: string): Promise<void> {
  enter(await post("/session", { body: { token } }));
}

export async function signOut(): Promise<void> {
  await remove("/session").catch(() => undefined);
  leave("You are signed out.");
}

function enter(who: Session): void {
  withSession(who.csrfToken, () => leave("Your session has ended. Sign in again to go on where you were."));
  session.value = { kind: "signed_in", who };
}

function leave(why: string | null): void {
  const wasIn = session.value.kind === "signed_in";
  // What one saw is not left behind for the next.
  withSession("", () => undefined);
  if (wasIn || session.value.kind === "unknown" || why !== null) session.value = { kind: "signed_out", why };
}
