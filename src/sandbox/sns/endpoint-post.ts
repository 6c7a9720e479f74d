import { type Dispatcher, request } from "undici";
import { messageOf } from "../../kit/errors.ts";

export interface PostOutcome {
  readonly delivered: boolean;
  /** Whether trying again can help: SNS tries again after 5xx, 429 and when there was no answer. */
  readonly mayRetry: boolean;
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** How long SNS waits for an endpoint. */
const TIMEOUT_MS = 15_000;

/**
 * Posts to an endpoint; name and password in its URL become Basic authentication, as in SNS. Never rejects.
 */
export async function postToEndpoint(
  dispatcher: Dispatcher,
  endpoint: string,
  headers: Record<string, string>,
  body: string,
): Promise<PostOutcome> {
  try {
    const url = new URL(endpoint);
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    url.username = "";
    url.password = "";
    const answer = await request(url, {
      method: "POST",
      dispatcher,
      body,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: {
        ...headers,
        "content-type": "text/plain; charset=UTF-8",
        "user-agent": "Amazon Simple Notification Service Agent",
        ...(credentials === ":"
          ? {}
          : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
    });
    await answer.body.dump();
    const status = answer.statusCode;
    return {
      delivered: status >= 200 && status < 300,
      mayRetry: status >= 500 || status === 429,
      status,
      error: undefined,
    };
  } catch (error) {
    return { delivered: false, mayRetry: true, status: undefined, error: messageOf(error) };
  }
}
