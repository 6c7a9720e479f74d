/**
 * How the provider misbehaves: what it does to all requests, or to a share of them, instead of answering
 * properly.
 * - `down`: 503
 * - `slow`: answers after `ms`
 * - `cut`: breaks off in the middle of its response
 * - `hang`: never answers
 * - `broken`: 200 with truncated JSON
 * - `other-id`: answers with an invoice of another id
 * - `limit`: 429, `retryAfterS` in Retry-After
 * - `refuse`: 401 for every operation, as for a key that was withdrawn
 * - `gateway`: a 404 page that does not follow the interface
 * - `forget`: the interface's own "does not exist" for an invoice that exists
 */
export type Behaviour =
  | { kind: "well" }
  | { kind: "down"; share?: number }
  | { kind: "slow"; ms: number; share?: number }
  | { kind: "cut"; share?: number }
  | { kind: "hang"; share?: number }
  | { kind: "broken"; share?: number }
  | { kind: "other-id"; share?: number }
  | { kind: "limit"; retryAfterS: number; share?: number }
  | { kind: "refuse" }
  | { kind: "gateway"; share?: number }
  | { kind: "forget"; share?: number };

/** A response as it is sent. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** Text to send instead of the JSON body. */
  text?: string;
  afterMs?: number;
  /** Breaks off after half of the text. */
  cut?: boolean;
  never?: boolean;
}

const refusal = (status: number, message: string): Answer => ({
  status,
  body: { status, message, type: "Refused", errors: [] },
});

/** Changes a response according to the behaviour; `data` is the invoice in it, if any. */
export function misbehave(behaviour: Behaviour, answer: Answer): Answer {
  switch (behaviour.kind) {
    case "well":
      return answer;
    case "down":
      return refusal(503, "Service unavailable");
    case "slow":
      return { ...answer, afterMs: behaviour.ms };
    case "cut":
      return { ...answer, cut: true };
    case "hang":
      return { ...answer, never: true };
    case "broken":
      return { ...answer, text: JSON.stringify(answer.body).slice(0, -20) };
    case "other-id":
      return { ...answer, body: withOtherId(answer.body) };
    case "limit":
      return {
        ...refusal(429, "Too many requests"),
        headers: { "retry-after": String(behaviour.retryAfterS) },
      };
    case "refuse":
      return refusal(401, "Invalid API key");
    case "gateway":
      return {
        status: 404,
        headers: { "content-type": "text/html" },
        body: null,
        text: "<h1>Not found</h1>",
      };
    case "forget":
      return refusal(404, "Invoice with the given Id does not exist");
  }
}

function withOtherId(body: unknown): unknown {
  const { data, ...envelope } = body as { data?: Record<string, unknown> };
  if (typeof data?.id !== "string") return body;
  const last = data.id.endsWith("0") ? "1" : "0";
  return { ...envelope, data: { ...data, id: data.id.slice(0, -1) + last } };
}
