import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { startServer } from "./own-server.ts";
import { onTestFinished } from "./own-test.ts";

/** A span as a collector gets it; ids in hex, kinds as OTLP counts them (1 internal, 2 server, 3 client, 4 producer). */
export type SeenSpan = ReturnType<typeof readSpan>;

export type TraceReceiver = Awaited<ReturnType<typeof startTraceReceiver>>;

/** A collector of our own: reads OTLP over HTTP by the field numbers of opentelemetry-proto. */
export async function startTraceReceiver() {
  const server = await startServer(async (request, response) => {
    const body = await buffer(request);
    receiver.requests.push({ path: request.url ?? "", headers: request.headers });
    if (receiver.behaviour === "hangs") return;
    if (receiver.behaviour < 300) receiver.spans.push(...readSpans(body));
    response.writeHead(receiver.behaviour, { "content-type": "application/x-protobuf" }).end();
  });
  onTestFinished(server.close);
  const receiver = {
    /** What OTEL_EXPORTER_OTLP_ENDPOINT names. */
    url: server.url,
    spans: [] as SeenSpan[],
    requests: [] as { path: string; headers: IncomingHttpHeaders }[],
    /** A status, or never an answer. */
    behaviour: 200 as number | "hangs",
  };
  return receiver;
}

/** The spans of an ExportTraceServiceRequest. */
const readSpans = (request: Buffer): SeenSpan[] =>
  parts(request, 1).flatMap((resourceSpans) => {
    const service = String(attributesOf(parts(part(resourceSpans, 1), 1))["service.name"]);
    return parts(resourceSpans, 2).flatMap((scopeSpans) =>
      parts(scopeSpans, 2).map((span) => readSpan(span, service)),
    );
  });

const readSpan = (span: Buffer, service: string) => ({
  service,
  traceId: part(span, 1).toString("hex"),
  spanId: part(span, 2).toString("hex"),
  /** "" for the first of a trace. */
  parentSpanId: part(span, 4).toString("hex"),
  name: part(span, 5).toString(),
  kind: Number(number(span, 6)),
  /** Whether it ended after it began. */
  lasted: number(span, 8) >= number(span, 7) && number(span, 7) > 0n,
  attributes: attributesOf(parts(span, 9)),
  /** `<trace id>-<span id>` of each. */
  links: parts(span, 13).map((link) => `${part(link, 1).toString("hex")}-${part(link, 2).toString("hex")}`),
  isError: number(part(span, 15), 3) === 2n,
});

const attributesOf = (pairs: Buffer[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map((pair) => [part(pair, 1).toString(), readValue(part(pair, 2))]));

function readValue(value: Buffer): unknown {
  const [array] = parts(value, 5);
  if (array !== undefined) return parts(array, 1).map(readValue);
  const [text] = parts(value, 1);
  return text === undefined ? Number(number(value, 3)) : text.toString();
}

/** The fields of a message, by number: a varint or a fixed one as bigint, anything with a length as bytes. */
function fieldsOf(message: Buffer): Map<number, (bigint | Buffer)[]> {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let [value, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++));
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  };
  const bytes = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    // By wire type (Protocol Buffers, "Encoding"): a varint, 8 bytes, a length and so many bytes, or 4 bytes.
    const type = Number(key & 7n);
    let value: bigint | Buffer = 0n;
    if (type === 0) value = varint();
    else if (type === 1) value = bytes(8).readBigUInt64LE();
    else if (type === 2) value = bytes(Number(varint()));
    else value = BigInt(bytes(4).readUInt32LE());
    fields.set(Number(key >> 3n), [...(fields.get(Number(key >> 3n)) ?? []), value]);
  }
  return fields;
}

/** All values of a field that have a length. */
const parts = (message: Buffer, field: number): Buffer[] =>
  (fieldsOf(message).get(field) ?? []).filter((value) => Buffer.isBuffer(value));

const part = (message: Buffer, field: number): Buffer => parts(message, field)[0] ?? Buffer.alloc(0);

const number = (message: Buffer, field: number): bigint =>
  (fieldsOf(message).get(field) ?? []).find((value) => typeof value === "bigint") ?? 0n;
