import { ApiProblem, problemOf } from "./problem.ts";

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
