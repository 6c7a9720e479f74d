import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { ClaimedEvent } from "./outbox/claim-events.ts";
import type { Route } from "./outbox/event.ts";

export interface Acceptance {
  event: ClaimedEvent;
  route: Route;
  messageId: string;
  /** This process' clock. */
  acceptedAt: Date;
}

/** One line and two durations for each payment that is out: ids and times, nothing about the payer. */
export function tellPublished(
  { event, route, messageId, acceptedAt }: Acceptance,
  { log, metrics }: { log: Logger; metrics: Metrics },
): void {
  const { source } = event;
  const sinceRequest = secondsBetween(event.requestedAt, acceptedAt);
  const sincePayment = secondsBetween(paidAtOf(event.payload), acceptedAt);
  if (sinceRequest !== null) metrics.callbackToSns.observe({ source }, sinceRequest);
  if (sincePayment !== null) metrics.paymentToSns.observe({ source }, sincePayment);
  log.info(
    {
      ...(event.callbackId === null ? {} : { callback: event.callbackId }),
      ...{ source, invoice: event.invoiceId, event: event.id, topic: route.topicArn, messageId },
      ...(sinceRequest === null ? {} : { callbackToSnsSeconds: sinceRequest }),
      ...(sincePayment === null ? {} : { paymentToSnsSeconds: sincePayment }),
      tries: event.attempt + 1,
    },
    "published a paid invoice",
  );
}

/** Never less than 0, although two machines' clocks may differ; to the millisecond. */
const secondsBetween = (from: Date | null, to: Date): number | null =>
  from === null || Number.isNaN(from.getTime()) ? null : Math.max(0, to.getTime() - from.getTime()) / 1_000;

/**
 * The payload was sent just as it stands in the table; one that cannot be read must not stop the log line.
 */
function paidAtOf(payload: string): Date | null {
  try {
    const paidAt: unknown = JSON.parse(payload)?.data?.paidAt;
    return typeof paidAt === "string" ? new Date(paidAt) : null;
  } catch {
    return null;
  }
}
