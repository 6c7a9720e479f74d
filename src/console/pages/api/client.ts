const BASE = "/admin/v1";

/** Of the session; without it nothing is changed by the cookie alone. */
let csrfToken = "";
let onSignedOut: () => void = () => undefined;

/** @param whenOut called when the API says that nobody is signed in any more. */
export function withSession(token: string, whenOut: () => void): void {
  csrfToken = token;
  onSignedOut = whenOut;
}

/** Whether somebody did something since the last request; opening the pages is something. */
let isAttended = true;
for (const act of ["pointerdown", "keydown"])
  addEventListener(act, () => (isAttended = true), { capture: true, passive: true });

/** Marks what the pages ask by themselves: only a person prolongs the session. */
function unattended(): Record<string, string> {
  const mark = isAttended ? {} : { "x-unattended": "1" };
  isAttended = false;
  return mark;
}

export type QueryValues = Record<string, string | number | boolean | null | undefined>;

/** `?name=value…`, without what is left out or empty. */
export function queryText(values: QueryValues): string {
  const given = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** @param path below `/admin/v1`, with its query. @throws ApiProblem */
export const get = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  call<Answer>("GET", path, undefined, signal);

/** @throws ApiProblem */
export const post = <Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> =>
  call<Answer>("POST", path, body, signal);

/** @throws ApiProblem */
export const remove = <Answer>(path: string): Promise<Answer> => call<Answer>("DELETE", path, {});

async function call<Answer>(
  method: string,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await answerOf(method, path, body, "application/json", signal);
  return (await response.json()) as Answer;
}

/**
 * What takes long, answered line by line.
 * @param onLine each line, read. @throws ApiProblem
 */
export async function postLines<Line>(
  path: string,
  body: unknown,
  onLine: (line: Line) => void,
  signal?: AbortSignal,
): Promise<void> {
  const response = await answerOf("POST", path, body, "application/x-ndjson", signal);
  if (response.body === null) return;
  let rest = "";
  const texts = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await texts.read(); !read.done; read = await texts.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) onLine(JSON.parse(line) as Line);
  }
  if (rest !== "") onLine(JSON.parse(rest) as Line);
}

async function answerOf(
  method: string,
  path: string,
  body: unknown,
  accept: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const response = await fetch(BASE + path, {
    method,
    credentials: "same-origin",
    headers: {
      accept,
      ...unattended(),
      ...(body !== undefined && { "content-type": "application/json", "x-csrf-token": csrfToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, "The relay does not answer.");
  });
  if (response.ok) return response;
  if (response.status === 401) onSignedOut();
  throw await problemOf(response);
}

/** What kept a call from its answer, for a person: what is wrong, and what to do. */
export class ApiProblem extends Error {
  /** HTTP's; 0 when nothing answered. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** What was thrown, as a problem. */
  static of(thrown: unknown): ApiProblem {
    return thrown instanceof ApiProblem ? thrown : new ApiProblem(0, String(thrown));
  }
}

const TO_DO: Record<number, string> = {
  0: "See whether you are online, and whether the relay runs. It is retried automatically.",
  401: "Sign in again.",
  403: "Sign in with a token of a role that may, or ask somebody who has one.",
  404: "Check the address, or go back to the list.",
  429: "Wait a moment, then try again.",
  500: "Try again; the relay's log says more.",
  503: "Try again in a moment.",
};

/** What to do about a problem; "" when its own words say it. */
export const toDo = ({ status }: ApiProblem): string => TO_DO[status] ?? "";

/** A refused answer as a problem: the API's own words where it has some. */
async function problemOf(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const fallback = `The relay answered ${response.status} ${response.statusText}`.trim();
  return new ApiProblem(response.status, typeof said === "string" ? said : `${fallback}.`);
}
