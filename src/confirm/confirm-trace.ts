import type { Span, Tracer } from "../kit/trace.ts";
import type { Answer } from "../provider/provider.ts";
import type { Outcome } from "./outcome.ts";
import type { Claimed } from "./queue/claim.ts";
import { splitTraceparents } from "./queue/open.ts";

/** Where Get Invoice is, as OpenTelemetry names a request's path without its ids. */
const PATH = "/api/v1/invoices/{id}";

/**
 * One try at a confirmation. It continues the trace of the callback that opened it and is linked to those
 * that coalesced with it; one that no callback opened begins a trace of its own.
 */
export function startConfirming(tracer: Tracer, confirmation: Claimed): Span {
  const { invoiceId, source, priority, attempt, faults } = confirmation;
  return tracer.start("confirm invoice", {
    kind: "internal",
    ...splitTraceparents(confirmation.traceparents),
    attributes: {
      "invoice_relay.source": source,
      "invoice_relay.invoice.id": invoiceId,
      "invoice_relay.priority": priority,
      "invoice_relay.attempt": attempt,
      "invoice_relay.faults": faults,
    },
  });
}

/** The request to the provider, which is not told of the trace. */
export const startAsking = (tracer: Tracer, { invoiceId, traceparent }: Claimed): Span =>
  tracer.start(`GET ${PATH}`, {
    kind: "client",
    parent: traceparent ?? null,
    attributes: {
      "http.request.method": "GET",
      "url.template": PATH,
      "invoice_relay.invoice.id": invoiceId,
    },
  });

/** @param status of the HTTP answer; null when there was none. */
export function endAsking(span: Span, { kind }: Answer, status: number | null): void {
  span.set({ "invoice_relay.outcome": kind, "http.response.status_code": status ?? undefined });
  const isAnswered = kind === "found" || kind === "not_found";
  span.end((status ?? 0) >= 400 ? String(status) : isAnswered ? undefined : kind);
}

/** The commit of what follows from the answer. */
export const startStoring = (tracer: Tracer, { traceparent }: Claimed): Span =>
  tracer.start("store answer", { kind: "internal", parent: traceparent ?? null });

export function endStoring(span: Span, { state, verdict, event }: Outcome): void {
  span.set({
    "invoice_relay.state": state,
    "invoice_relay.verdict": verdict ?? undefined,
    "invoice_relay.event.id": event?.id,
  });
  span.end();
}
