import { z } from "zod";
import { Secret } from "../values/index.ts";
import { webAddress } from "./setting-formats.ts";

/** Plain http is taken from any host: a collector often stands beside the relay, and spans hold no secret. */
const collectorUrl = webAddress("http://localhost:4318", "; OTEL_EXPORTER_OTLP_HEADERS is for keys");

/** `name=value` pairs, the values percent-encoded where they must be; null for anything else. */
export function readHeaders(text: string): Record<string, string> | null {
  try {
    const pairs = text.split(",").map((pair) => {
      const [, name = "", value = ""] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=(.*)$/s.exec(pair) ?? [];
      return [name.toLowerCase(), decodeURIComponent(value.trim())] as const;
    });
    const headers = new Headers();
    for (const [name, value] of pairs) headers.set(name, value);
    return Object.fromEntries(headers);
  } catch {
    return null;
  }
}

const otlpHeaders = z
  .string()
  .refine((text) => readHeaders(text) !== null, {
    error: "should be headers such as api-key=secret,x-team=payments",
  })
  .transform((text) => new Secret(text))
  .meta({ kind: "name=value, …", secret: true });

/** OpenTelemetry's own variables, as far as they mean something here. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl
    .optional()
    .describe("The address of a trace collector, to which /v1/traces is added; without it, no traces."),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders
    .optional()
    .describe("Headers sent there, such as a key: name=value, separated by commas."),
  OTEL_SERVICE_NAME: z.string().prefault("invoice-relay").describe("The relay's name in traces."),
} as const;
