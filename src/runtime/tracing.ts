import { readHeaders, type ServeSettings } from "../platform/config/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { within } from "../platform/process/index.ts";

/** For sending spans, with retries. */
const TIMEOUT_MS = 10_000;
const CLOSE_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 1_000;
const NO_FLUSH_FOR_MS = 30_000;

type TraceSettings = Pick<ServeSettings, Extract<keyof ServeSettings, `OTEL_${string}`>>;

/** Where traces go, as OpenTelemetry's variables say it; null when they are off. */
function tracesUrl(settings: TraceSettings): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings;
  return base === undefined ? null : `${base.replace(/\/+$/, "")}/v1/traces`;
}

/** Off, it loads nothing of OpenTelemetry. @param version of this program, for its spans. */
export async function startTracing(settings: TraceSettings, log: Logger, version: string) {
  const url = tracesUrl(settings);
  if (url === null) return null;
  const { openTelemetry } = await import("./open-telemetry.ts");
  const tracer = openTelemetry({
    url,
    headers: readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS?.reveal() ?? "") ?? {},
    timeoutMs: TIMEOUT_MS,
    serviceName: settings.OTEL_SERVICE_NAME,
    version,
    log,
  });
  let noFlushUntil = 0;
  return {
    tracer,
    /** Sends the spans that have ended so far, waiting 1 s at most; after one that took longer, does nothing for 30 s. */
    async flush() {
      if (performance.now() < noFlushUntil) return;
      const sent = tracer.flush().then(() => true);
      const inTime = await within(sent, FLUSH_WITHIN_MS, false);
      if (!inTime) noFlushUntil = performance.now() + NO_FLUSH_FOR_MS;
    },
    /** Sends what is left, within 2 s, and ends. */
    async close() {
      await within(tracer.end(), CLOSE_WITHIN_MS, undefined);
    },
  };
}

export type Tracing = NonNullable<Awaited<ReturnType<typeof startTracing>>>;
