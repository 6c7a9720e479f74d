import type { Logger } from "../kit/log.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Tracer } from "../kit/trace.ts";
import { readHeaders } from "../kit/trace-settings.ts";
import { within } from "../kit/waiting.ts";

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the spans that have ended so far, waiting 1 s at most; after one that took longer, does nothing for 30 s. */
  flush(): Promise<void>;
  /** Sends what is left, within 2 s, and ends. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 1_000;
const NO_FLUSH_FOR_MS = 30_000;

type TraceSettings = Pick<ServeSettings, Extract<keyof ServeSettings, `OTEL_${string}`>>;

/** Where traces go, as OpenTelemetry's variables say it; null when they are off. */
export function tracesUrl(settings: TraceSettings): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings;
  return whole ?? (base === undefined ? null : `${base.replace(/\/+$/, "")}/v1/traces`);
}

/** Off, it loads nothing of OpenTelemetry. @param version of this program, as its spans tell it. */
export async function startTracing(
  settings: TraceSettings,
  log: Logger,
  version: string,
): Promise<Tracing | null> {
  const url = tracesUrl(settings);
  if (url === null) return null;
  const { openTelemetry } = await import("./open-telemetry.ts");
  const { tracer, provider } = openTelemetry({
    url,
    headers: {
      ...readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS?.reveal() ?? ""),
      ...readHeaders(settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS?.reveal() ?? ""),
    },
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: settings.OTEL_SERVICE_NAME,
    version,
    share: settings.OTEL_TRACES_SAMPLER === "parentbased_traceidratio" ? settings.OTEL_TRACES_SAMPLER_ARG : 1,
    log,
  });
  let noFlushUntil = 0;
  return {
    tracer,
    async flush() {
      if (performance.now() < noFlushUntil) return;
      const inTime = await within(provider.flush(), FLUSH_WITHIN_MS, false);
      if (!inTime) noFlushUntil = performance.now() + NO_FLUSH_FOR_MS;
    },
    async close() {
      await within(provider.flush(), CLOSE_WITHIN_MS, false);
      await provider.end();
    },
  };
}
