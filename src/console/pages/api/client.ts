import type { AnswerOf, Given, OperationAt, PathOf } from "../../../api/calls.ts";
import type { ProgressLine } from "../../../operate/operations/proof.ts";
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
  given: Given<OperationAt<"get", Path>>,
  signal?: AbortSignal,
): Promise<AnswerOf<OperationAt<"get", Path>>> => call("GET", path, given as AnyGiven, signal);

/** @throws ApiProblem */
export const post = <const Path extends PathOf<"post">>(
  path: Path,
  given: Given<OperationAt<"post", Path>>,
  signal?: AbortSignal,
): Promise<AnswerOf<OperationAt<"post", Path>>> => call("POST", path, given as AnyGiven, signal);

/** @throws ApiProblem */
export const remove = (path: PathOf<"delete">): Promise<unknown> => call("DELETE", path, { body: {} });

async function call<Answer>(
  method: string,
  path: string,
  given: AnyGiven,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await answerOf(method, urlOf(path, given), given.body, "application/json", signal);
  return (await response.json()) as Answer;
}

/**
 * What takes long, answered line by line.
 * @param onLine each line, read. @throws ApiProblem
 */
export async function postLines<const Path extends "/certify" | "/reconcile">(
  path: Path,
  { body }: Given<OperationAt<"post", Path>>,
  onLine: (line: ProgressLine) => void,
  signal?: AbortSignal,
): Promise<void> {
  const response = await answerOf("POST", path, body, "application/x-ndjson", signal);
  if (response.body === null) return;
  let rest = "";
  const texts = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await texts.read(); !read.done; read = await texts.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) onLine(JSON.parse(line) as ProgressLine);
  }
  if (rest !== "") onLine(JSON.parse(rest) as ProgressLine);
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
