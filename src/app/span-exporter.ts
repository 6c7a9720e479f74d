import { setTimeout as delay } from "node:timers/promises";
// The package as a whole brings metrics and logs along, which nobody here needs.
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer/build/src/trace/protobuf/index.js";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";

export interface SpanExporterOptions {
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
export class OtlpSpanExporter implements SpanExporter {
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
      // Whatever came of them: they are not sent again.
      done({ code: 0 });
    });
    this.#underWay.add(sending);
  }

  /** Resolves once nothing is under way. */
  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Gives up what is under way. */
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
