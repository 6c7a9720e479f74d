import { randomUUID } from "node:crypto";
import {
  type Attributes,
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { messageOf } from "../platform/errors/index.ts";
import type { Logger, Span, SpanStart } from "../platform/log/index.ts";

interface OpenTelemetryOptions {
  url: string;
  headers: Record<string, string>;
  /** The longest that one batch may take, in ms. */
  timeoutMs: number;
  serviceName: string;
  version: string;
  log: Logger;
}

/** Ended spans that wait to be sent; further ones are dropped. */
const QUEUE_LIMIT = 8_192;
const EVERY_MS = 1_000;

/** OpenTelemetry's SDK behind the port: only this file knows it. Nothing global is registered. */
export function openTelemetry(options: OpenTelemetryOptions) {
  const { url, headers, timeoutMs, serviceName, version, log } = options;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
  const processor = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          if (result.error)
            log.warn(
              { error: messageOf(result.error), spans: spans.length },
              "traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT; these are lost",
            );
          // Sent or not, they are not sent again.
          done({ code: 0 });
        }),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: QUEUE_LIMIT,
    scheduledDelayMillis: EVERY_MS,
    // The exporter has a time-out of its own, which comes first.
    exportTimeoutMillis: timeoutMs + 60_000,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.name": serviceName,
        "service.version": version,
        "service.instance.id": randomUUID(),
      }),
    ),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("invoice-relay", version);
  return {
    start(name: string, { kind, parent = null, links = [], attributes = {} }: SpanStart): Span {
      const options = {
        kind: KIND[kind],
        attributes: attributes as Attributes,
        links: links.map((link) => ({ context: contextOf(link) })),
      };
      return traced(tracer.startSpan(name, options, below(parent)));
    },
    flush: () => processor.forceFlush(),
    end: () => provider.shutdown(),
  };
}

const KIND = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanStart["kind"], SpanKind>;

const below = (parent: string | null): Context =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));

/** @param traceparent one that `isTraceparent` accepts. */
function contextOf(traceparent: string): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traced(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    set: (attributes) => void span.setAttributes(attributes as Attributes),
    end(failure) {
      if (failure !== undefined) {
        span.setAttribute("error.type", failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
