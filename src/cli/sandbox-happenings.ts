import { z } from "zod";
import { messageOf, RelayError } from "../kit/errors.ts";
import { jsonIn } from "../kit/json.ts";
import { withoutCallbackTokens } from "../kit/mask.ts";

export interface Happening {
  readonly key: string;
  readonly what: "callback" | "event";
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly invoiceId: string | null;
  /** Plain words. */
  readonly says: string;
}

/** The most entries read of each log; anything beyond that between two reads is not shown. */
const MOST = 1_000;

const deliveryLog = z.object({
  deliveries: z.array(
    z.object({
      invoiceId: z.string(),
      copy: z.number(),
      state: z.string(),
      variant: z.string(),
      url: z.string(),
      queuedAt: z.string(),
      attempts: z.array(
        z.object({
          attempt: z.number(),
          startedAt: z.string(),
          tookMs: z.number(),
          answerStatus: z.number().nullable(),
          error: z.string().nullable(),
        }),
      ),
    }),
  ),
});

const messageLog = z.object({
  messages: z.array(
    z.object({ messageId: z.string(), topicArn: z.string(), message: z.string(), acceptedAt: z.string() }),
  ),
});

/** The newest callbacks: an entry for each attempt, and one for each that is withheld. */
export async function recentCallbacks(providerUrl: string): Promise<Happening[]> {
  const answer = await askSandbox("collection service", `${providerUrl}/_control/deliveries?limit=${MOST}`);
  return deliveryLog.parse(answer).deliveries.flatMap((delivery) => {
    const { invoiceId, copy, state, variant, queuedAt } = delivery;
    const which = copy === 0 ? variant : `${variant}, copy ${copy + 1}`;
    const sent = `${which} to ${withoutCallbackTokens(delivery.url)}`;
    const happening = (key: string | number, at: string, says: string): Happening => ({
      key: `${invoiceId} ${copy} ${key}`,
      what: "callback",
      at,
      invoiceId,
      says: `${sent}: ${says}`,
    });
    if (state === "withheld") return [happening("withheld", queuedAt, "never sent, on request")];
    return delivery.attempts.map(({ attempt, startedAt, tookMs, answerStatus, error }) =>
      happening(attempt, new Date(startedAt).toISOString(), `${answerStatus ?? error} after ${tookMs} ms`),
    );
  });
}

/** The newest events that SNS accepted. */
export async function recentEvents(snsUrl: string): Promise<Happening[]> {
  const answer = await askSandbox("local SNS", `${snsUrl}/_control/messages?last=${MOST}`);
  return messageLog.parse(answer).messages.map(({ messageId, topicArn, message, acceptedAt }) => {
    const { type, subject } = eventOf(message);
    const topic = topicArn.split(":").at(-1) ?? "";
    return {
      key: messageId,
      what: "event",
      at: acceptedAt,
      invoiceId: subject,
      says: `${type} accepted on ${topic} as message ${messageId}`,
    };
  });
}

const event = z.object({ type: z.string(), subject: z.string() });

const eventOf = (message: string): { type: string; subject: string | null } =>
  event.safeParse(jsonIn(message)).data ?? { type: "a message that is not an event", subject: null };

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
  const answer = jsonIn(text);
  if (response.ok && typeof answer === "object" && answer !== null) return answer;
  const said = wordsOf(answer);
  const message =
    said === undefined
      ? `What answers at ${new URL(url).origin} is not the ${what}.`
      : `The ${what} refused it: ${said}`;
  throw new RelayError(message, { code: response.status === 404 ? "not_found" : "failed" });
}

function wordsOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("message" in answer)) return undefined;
  return typeof answer.message === "string" ? answer.message : undefined;
}
