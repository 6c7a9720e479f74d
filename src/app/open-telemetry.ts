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
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Span, SpanAttributes, SpanStart, Tracer } from "../kit/trace.ts";
import { OtlpSpanExporter, type SpanExporterOptions } from "./span-exporter.ts";

export interface OpenTelemetryOptions extends SpanExporterOptions {
  serviceName: string;
  /** Of this program. */
  version: string;
  /** The share of the traces begun here that is sampled, from 0 to 1. */
  share: number;
}

/** Ended spans that wait to be sent; further ones are dropped. */
const MOST_WAITING = 8_192;
const EVERY_MS = 1_000;

/** OpenTelemetry's SDK behind the port: the one place that knows it. Nothing global is registered. */
export function openTelemetry({ serviceName, version, share, ...exporting }: OpenTelemetryOptions): {
  tracer: Tracer;
  provider: { flush(): Promise<boolean>; end(): Promise<void> };
} {
  const exporter = new OtlpSpanExporter(exporting);
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MOST_WAITING,
    scheduledDelayMillis: EVERY_MS,
    // The exporter has a time-out of its own, which comes first.
    exportTimeoutMillis: exporting.timeoutMs + 60_000,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(
        resourceFromAttributes({
          "service.name": serviceName,
          "service.version": version,
          "service.instance.id": randomUUID(),
        }),
      ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("invoice-relay", version);
  return {
    tracer: {
      start: (name, { kind, parent = null, links = [], attributes = {} }: SpanStart): Span => {
        const options = {
          kind: KIND[kind],
          attributes: attributes as Attributes,
          links: links.map((link) => ({ context: contextOf(link) })),
        };
        return new TracedSpan(tracer.startSpan(name, options, below(parent)));
      },
    },
    provider: {
      async flush() {
        await processor.forceFlush();
        await exporter.forceFlush();
        return true;
      },
      async end() {
        await exporter.shutdown();
        await provider.shutdown();
      },
    },
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

class TracedSpan implements Span {
  readonly traceparent: string;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
    this.#span = span;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes as Attributes);
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute("error.type", failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
