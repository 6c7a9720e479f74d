import { messageOf, RelayError } from "../kit/errors.ts";

const TIMEOUT_MS = 35_000;

/**
 * Calls the control API of a local service.
 * @param what the service's name in messages
 * @returns the answer's JSON. @throws RelayError when nothing answers, it is a different service, or it
 *   refuses.
 */
export async function askSandbox(
  what: "collection service" | "local SNS",
  url: string,
  body?: unknown,
): Promise<object> {
  const given = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...given, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (cause) {
    const { origin } = new URL(url);
    const why = messageOf(cause);
    const message = `The ${what} at ${origin} does not answer (${why}). Start it, or give its URL.`;
    throw new RelayError(message, { code: "provider_away", cause });
  }
  const answer = jsonOf(text);
  if (response.ok && typeof answer === "object" && answer !== null) return answer;
  const said = wordsOf(answer);
  const message =
    said === undefined
      ? `What answers at ${new URL(url).origin} is not the ${what}.`
      : `The ${what} refused it: ${said}`;
  throw new RelayError(message, { code: response.status === 404 ? "not_found" : "failed" });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wordsOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  return typeof answer.message === "string" ? answer.message : undefined;
}
