import type { Request } from "express";
import { isTraceparent, type Span, type Tracer } from "../kit/trace.ts";
import type { Intake } from "./callback-intake.ts";

/** The callbacks' path, as OpenTelemetry names a route: no token, no reference. */
const ROUTE = "/callbacks/{token}";

/** The most of a callback's invoice ids that its span names. */
const MOST_IDS = 10;

/**
 * The span of a callback's request. It always begins a trace: a stranger's `traceparent` becomes a link and
 * no more, so that nobody outside decides what belongs together here, or what is sampled.
 */
export function startReceiving(tracer: Tracer, request: Request): Span {
  const theirs = request.headers.traceparent;
  return tracer.start(`${request.method} ${ROUTE}`, {
    kind: "server",
    links: isTraceparent(theirs) ? [theirs] : [],
    attributes: { "http.request.method": request.method, "http.route": ROUTE },
  });
}

/** What was turned away is not traced: its span never ends. */
export function endReceiving(span: Span, taken: Intake, status: number): void {
  if (taken.kind === "turned_away") return;
  span.set({ "invoice_relay.outcome": taken.kind, "http.response.status_code": status });
  if (taken.kind !== "unrecorded")
    span.set({
      "invoice_relay.source": taken.source,
      "invoice_relay.callback.id": taken.id,
      "invoice_relay.invoice.ids": taken.invoiceIds.slice(0, MOST_IDS),
    });
  span.end(status >= 500 ? String(status) : undefined);
}
