import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
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
// The package as a whole brings metrics and logs along, which are not needed here.
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer/build/src/trace/protobuf/index.js";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { messageOf } from "../platform/errors/index.ts";
import type { Logger, Span, SpanStart } from "../platform/log/index.ts";

interface OpenTelemetryOptions extends SpanExporterOptions {
  serviceName: string;
  version: string;
  /** The share of the traces begun here that is sampled, from 0 to 1. */
  share: number;
}

/** Ended spans that wait to be sent; further ones are dropped. */
const QUEUE_LIMIT = 8_192;
const EVERY_MS = 1_000;

/** OpenTelemetry's SDK behind the port: only this file knows it. Nothing global is registered. */
export function openTelemetry({ serviceName, version, share, ...exporting }: OpenTelemetryOptions) {
  const exporter = new OtlpSpanExporter(exporting);
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE_LIMIT,
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
    start(name: string, { kind, parent = null, links = [], attributes = {} }: SpanStart): Span {
      const options = {
        kind: KIND[kind],
        attributes: attributes as Attributes,
        links: links.map((link) => ({ context: contextOf(link) })),
      };
      return traced(tracer.startSpan(name, options, below(parent)));
    },
    async flush() {
      await processor.forceFlush();
      await exporter.forceFlush();
      return true;
    },
    async end() {
      await exporter.shutdown();
      await provider.shutdown();
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

interface SpanExporterOptions {
  url: string;
  headers: Record<string, string>;
  /** The longest that one batch may take, in ms. */
  timeoutMs: number;
  log: Logger;
}

/** The waits before further tries, in ms: a collector that restarts is soon back. */
const TRY_AGAIN_MS = [1_000, 3_000];

const MAY_PASS = new Set([429, 502, 503, 504]);

/**
 * Sends batches of spans as OTLP over HTTP (protobuf). Nothing waits for it, and what cannot be sent is
 * logged and dropped. The exporter that OpenTelemetry ships cannot be stopped: after the relay's end it would
 * keep the process for as long as a collector hangs.
 */
class OtlpSpanExporter implements SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #end = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    const sending = this.#send(spans).then((error) => {
      this.#underWay.delete(sending);
      if (error !== null)
        this.#options.log.warn(
          { error, spans: spans.length },
          "traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT; these are lost",
        );
      // Sent or not, they are not sent again.
      done({ code: 0 });
    });
    this.#underWay.add(sending);
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async shutdown(): Promise<void> {
    this.#end.abort();
  }

  /** @returns why it could not be sent; null when it was. */
  async #send(spans: ReadableSpan[]): Promise<string | null> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
    const body = ProtobufTraceSerializer.serializeRequest(spans);
    if (body === undefined) return "they cannot be written as OTLP";
    for (let attempt = 0; ; attempt += 1) {
      const failure = await this.#post(body, signal);
      const waitMs = TRY_AGAIN_MS[attempt];
      if (failure === null || !failure.mayPass || waitMs === undefined || signal.aborted)
        return failure?.error ?? null;
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #post(body: Uint8Array, signal: AbortSignal): Promise<{ error: string; mayPass: boolean } | null> {
    const { url, headers } = this.#options;
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-protobuf" },
        body: body as Uint8Array<ArrayBuffer>,
        redirect: "manual",
        signal,
      });
      await answer.body?.cancel();
      if (answer.ok) return null;
      return { error: `it answers ${answer.status}`, mayPass: MAY_PASS.has(answer.status) };
    } catch (error) {
      if (this.#end.signal.aborted)
        return { error: "the relay stopped before they were sent", mayPass: false };
      const { cause = error } = error as { cause?: unknown };
      return { error: messageOf(cause), mayPass: true };
    }
  }
}
