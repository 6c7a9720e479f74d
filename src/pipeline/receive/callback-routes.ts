import { hash } from "node:crypto";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { isTraceparent, type Span, type Tracer } from "../../platform/log/index.ts";
import type { Metrics } from "../../platform/metrics/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { CALLBACK_METHODS, type CallbackIntake, type Intake, type TurnedAway } from "./callback-intake.ts";
import { comesFromBrowser } from "./read-request.ts";

interface CallbackRoutesOptions {
  intake: CallbackIntake;
  metrics: Metrics;
  tracer: Tracer | null;
  /** The provider's expected answer to a recorded callback. */
  ackStatus: number;
  ackBody: string;
  /** Where a payer's browser goes; null for the page of our own. */
  redirectUrl: string | null;
}

const CALLBACK_PATH = /^\/callbacks(?:\/|$)/i;

/** Nothing but the commit stands between request and answer; 2xx leaves only after it (G1). */
export function callbackRoutes(options: CallbackRoutesOptions): RequestHandler {
  const { intake, metrics, tracer } = options;
  const acknowledge = acknowledgement(options);
  // A pattern with parameters would refuse a path whose percent-encoding is broken.
  return Router().all(CALLBACK_PATH, async (request, response) => {
    const done = metrics.callbackSeconds.startTimer();
    const span = tracer === null ? null : startSpan(tracer, request);
    const taken = await intake.take(request, span?.traceparent ?? null);
    if (taken.kind === "recorded" && !comesFromBrowser(request)) acknowledge(response);
    else answer(request, response, taken, options.redirectUrl);
    failpoint("callback answered");
    done();
    metrics.callbacks.inc({ status: response.statusCode });
    if (span !== null) endSpan(span, taken, response.statusCode);
    if (taken.kind === "refused") metrics.callbacksRefused.inc({ source: taken.source, check: taken.check });
  });
}

function answer(request: Request, response: Response, taken: Intake, redirectUrl: string | null) {
  const browser = comesFromBrowser(request);
  if (taken.kind === "turned_away") return turnAway(response, taken, browser);
  if (taken.kind === "unrecorded") {
    response.status(503).setHeader("retry-after", taken.retryAfterS);
    if (browser) return sendPage(response, "unrecorded");
    response.type("text/plain").send("The callback could not be recorded. Send it again.\n");
    return;
  }
  if (browser) {
    if (redirectUrl !== null) return response.redirect(303, redirectUrl);
    return sendPage(response, "received");
  }
  // 400, not 2xx: a sender with a wrong secret must notice, and once the secret is right its retries bring what
  // was refused.
  response.status(400).type("text/plain").send("The callback's signature or origin is not accepted.\n");
}

/** Exactly what the provider wants, without the ETag and other headers that a framework would add. */
function acknowledgement({
  ackStatus: status,
  ackBody,
}: CallbackRoutesOptions): (response: Response) => void {
  const body = status === 204 || status === 205 ? undefined : ackBody;
  const headers =
    body === undefined
      ? {}
      : {
          "content-type": /^\s*[[{]/.test(body) ? "application/json" : "text/plain; charset=utf-8",
          "content-length": Buffer.byteLength(body),
        };
  return (response) => void response.writeHead(status, headers).end(body);
}

function turnAway(response: Response, { status, why }: TurnedAway, browser: boolean): void {
  response.status(status);
  if (status === 405) response.setHeader("allow", CALLBACK_METHODS.join(", "));
  // The rest of such a body is not read.
  if (status === 400 || status === 413 || !response.req.complete) response.setHeader("connection", "close");
  if (browser && status === 404) sendPage(response, "nowhere");
  else response.type("text/plain").send(`${why}\n`);
}

/** The callbacks' path, as OpenTelemetry names a route: no token, no reference. */
const ROUTE = "/callbacks/{token}";

/** How many of a callback's invoice ids its span names. */
const SPAN_IDS = 10;

/**
 * The span of a callback's request. It always begins a trace: a stranger's `traceparent` becomes a link and
 * no more, so that no outsider decides what belongs together here, or what is sampled.
 */
function startSpan(tracer: Tracer, request: Request): Span {
  const theirs = request.headers.traceparent;
  return tracer.start(`${request.method} ${ROUTE}`, {
    kind: "server",
    links: isTraceparent(theirs) ? [theirs] : [],
    attributes: { "http.request.method": request.method, "http.route": ROUTE },
  });
}

/** A callback that was turned away is not traced: its span never ends. */
function endSpan(span: Span, taken: Intake, status: number): void {
  if (taken.kind === "turned_away") return;
  span.set({ "invoice_relay.outcome": taken.kind, "http.response.status_code": status });
  if (taken.kind !== "unrecorded")
    span.set({
      "invoice_relay.source": taken.source,
      "invoice_relay.callback.id": taken.id,
      "invoice_relay.invoice.ids": taken.invoiceIds.slice(0, SPAN_IDS),
    });
  span.end(status >= 500 ? String(status) : undefined);
}

/** Nothing of it is personal, and nothing is what the callback claimed. */
const PAGES = {
  received: [
    "Thank you",
    "Your payment is being checked. There is nothing more to do: the business that you paid is informed once " +
      "it is confirmed. You can close this page.",
  ],
  unrecorded: [
    "Please reload this page",
    "We could not look after your payment just now. It is not lost: reload this page in a few seconds.",
  ],
  nowhere: [
    "This page does not exist",
    "The address may be incomplete. If you came here to pay or have just paid, ask the business that you pay " +
      "about your payment.",
  ],
} as const;

const STYLE =
  ":root{color-scheme:light dark}body{margin:0;min-height:100svh;display:grid;place-items:center;" +
  "text-align:center;font:1rem/1.5 system-ui,sans-serif}main{max-width:26rem;padding:1.5rem}" +
  "h1{font-size:1.375rem}";

const POLICY =
  `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

/** Answers a payer's browser with a static page. It is kept nowhere, and no address of ours leaves with a click. */
export function sendPage(response: Response, page: keyof typeof PAGES): void {
  const [heading, text] = PAGES[page];
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cache-control", "no-store");
  response.type("html").send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main><h1>${heading}</h1><p>${text}</p></main>
</body>
</html>
`);
}
