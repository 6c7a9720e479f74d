import { InvoicePaidError } from "./invoice-paid-error.ts";

const FETCH_TIMEOUT_MS = 5_000;
const MOST_CHARACTERS = 64 * 1024;

/**
 * GETs a small text from SNS. Redirects are refused: they would lead away from the pinned host.
 * @throws InvoicePaidError `unreachable`
 */
export async function fetchText(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.length > MOST_CHARACTERS)
        throw new Error(`it answered more than ${MOST_CHARACTERS} characters`);
    }
    return text;
  } catch (cause) {
    throw new InvoicePaidError("unreachable", `${new URL(address).host} could not be asked.`, cause);
  }
}
