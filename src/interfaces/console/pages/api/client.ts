import { computed, signal } from "@preact/signals";
import type { AnswerOf, CallInput, OperationAt, PathOf } from "../../../admin-api/open-api.ts";

const BASE = "/admin/v1";

/** How long a reading waits for its answer. */
const ANSWER_MS = 30_000;

/** Whether a person acted since the last request; opening the pages is an act. */
let isAttended = true;
for (const act of ["pointerdown", "keydown"])
  addEventListener(act, () => (isAttended = true), { capture: true, passive: true });

/** Marks what the pages ask by themselves: only a person prolongs the session. */
function unattended(): Record<string, string> {
  const mark = isAttended ? {} : { "x-unattended": "1" };
  isAttended = false;
  return mark;
}

/** Parts of a URL, with what is left out or empty not in it. */
type Values = Record<string, string | number | boolean | undefined>;

interface AnyGiven {
  path?: Values | undefined;
  query?: Values | undefined;
  body?: unknown;
}

/** `/replays/{id}` with its values filled in, and its query. */
export function urlOf(path: string, { path: values = {}, query = {} }: AnyGiven): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  return text === "" ? filled : `${filled}?${text}`;
}

/** Calls an operation by its path. @throws ApiProblem */
export const get = <const Path extends PathOf<"get">>(
  path: Path,
  given: CallInput<OperationAt<"get", Path>>,
  signal?: AbortSignal,
): Promise<AnswerOf<OperationAt<"get", Path>>> => call("GET", path, given as AnyGiven, signal);

/** @throws ApiProblem */
export const post = <const Path extends PathOf<"post">>(
  path: Path,
  given: CallInput<OperationAt<"post", Path>>,
  signal?: AbortSignal,
): Promise<AnswerOf<OperationAt<"post", Path>>> =>
  call("POST", path, { body: {}, ...(given as AnyGiven) }, signal);

/** @throws ApiProblem */
export const remove = (path: PathOf<"delete">): Promise<unknown> => call("DELETE", path, { body: {} });

async function call<Answer>(
  method: string,
  path: string,
  given: AnyGiven,
  signal?: AbortSignal,
): Promise<Answer> {
  const { body } = given;
  const response = await fetch(BASE + urlOf(path, given), {
    method,
    credentials: "same-origin",
    headers: {
      accept: "application/json",
      ...unattended(),
      ...(body !== undefined && {
        "content-type": "application/json",
      }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, "The relay does not answer.");
  });
  if (response.ok) return (await response.json()) as Answer;
  if (response.status === 401 && session.value.kind === "signed_in")
    leave("Your session has ended. Sign in again to go on where you were.");
  throw await problemOf(response);
}

/** A failed call, in words for a person: the fault and the remedy. */
export class ApiProblem extends Error {
  /** HTTP's; 0 when nothing answered. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  static of(thrown: unknown): ApiProblem {
    return thrown instanceof ApiProblem ? thrown : new ApiProblem(0, String(thrown));
  }
}

const TO_DO: Record<number, string> = {
  0: "See whether you are online, and whether the relay runs. It is retried automatically.",
  401: "Sign in again.",
  403: "Sign in with a token whose role allows it, or ask a colleague who has one.",
  404: "Check the address, or go back to the list.",
  500: "Try again; the relay's log says more.",
  503: "Try again in a moment.",
};

/** Whether another try may be answered otherwise: what is wrong with the request stays wrong. */
export const isPassing = ({ status }: ApiProblem): boolean => ![400, 401, 403].includes(status);

/** The remedy of a problem; "" when its own words say it. */
export const toDo = ({ status }: ApiProblem): string => TO_DO[status] ?? "";

/** A refused answer as a problem: the API's own words where it has some, and not what stands in front. */
async function problemOf(response: Response): Promise<ApiProblem> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  return new ApiProblem(response.status, error ?? `The relay answered ${response.status}.`);
}

type SessionState =
  | { kind: "unknown" }
  /** `why` says what happened, when somebody was signed in before or the relay cannot tell. */
  | { kind: "signed_out"; why: string | null }
  | { kind: "signed_in"; who: Session };

export const session = signal<SessionState>({ kind: "unknown" });

const operations = computed(() =>
  session.value.kind === "signed_in" ? new Set(session.value.who.operations) : new Set<string>(),
);

/** Of the sources that the relay has settings for. */
export const sources = computed(() => (session.value.kind === "signed_in" ? session.value.who.sources : []));

/** Whether the session's role allows this: an operation's id in the admin API's document. */
export const may = (operation: string): boolean => operations.value.has(operation);

/** Asks who is signed in, at the start and when something else was refused. */
export async function readSession(): Promise<void> {
  try {
    session.value = { kind: "signed_in", who: await get("/session", {}) };
  } catch (problem) {
    if (!(problem instanceof ApiProblem)) throw problem;
    if (problem.status === 401) leave(null);
    // A relay that starts again is no reason to lose the page.
    else if (session.value.kind !== "signed_in") leave(problem.message);
  }
}

/** @throws ApiProblem */
export async function signIn(token: string): Promise<void> {
  session.value = { kind: "signed_in", who: await post("/session", { body: { token } }) };
}

export async function signOut(): Promise<void> {
  await remove("/session").catch(() => undefined);
  leave("You are signed out.");
}

function leave(why: string | null): void {
  if (session.value.kind === "signed_out" && why === null) return;
  session.value = { kind: "signed_out", why };
}

type Read<Path extends PathOf<"get">> = AnswerOf<OperationAt<"get", Path>>;

export type Status = Read<"/status">;
export type Session = Read<"/session">;
export type AuditEntry = Read<"/audit">["entries"][number];
export type Timeline = Read<"/invoices/{id}">;
export type ListedInvoice = Read<"/invoices">["items"][number];
export type ListedCallback = Read<"/callbacks">["items"][number];
export type Undelivered = Read<"/dead-letters">["items"][number];
export type Replay = Read<"/replays/{id}">["replay"];
export type Calendar = Read<"/certificates/calendar">;
export type CertificateShown = Read<"/certificates/{id}">;
