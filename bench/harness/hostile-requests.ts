import { randomUUID } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { TOKEN, UNKNOWN_IDS } from "./sample-payment.ts";

/** The most that the relay takes of a body, before and after decompression. */
const LIMIT = 256 * 1024;

const unknownId = (): string => UNKNOWN_IDS + randomUUID().slice(UNKNOWN_IDS.length);

const filled = (piece: string): string => piece.repeat(Math.floor(LIMIT / piece.length));

function callback(body: string | Buffer, headers = "", query = ""): Buffer {
  const bytes = Buffer.from(body);
  const head =
    `POST /callbacks/${TOKEN}${query} HTTP/1.1\r\nHost: relay.example.com\r\nConnection: ` +
    `close\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

const zipped = (text: string): Buffer => callback(gzipSync(text), "Content-Encoding: gzip\r\n");

const get = (path: string, headers = ""): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: relay.example.com\r\nConnection: close\r\n${headers}\r\n`);

/** The same request so often on one connection, none of them waiting for the answer to the one before. */
const atOnce = (count: number, path: string): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost:x\r\n\r\n`.repeat(count));

/** As many bytes on the wire as the largest plain body here. */
const inChunksOfOneByte = (path: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: relay.example.com\r\nTransfer-Encoding: chunked\r\n\r\n` +
      "1\r\na\r\n".repeat((8 * LIMIT) / 6),
  );

const keys = (): string =>
  `{${Array.from({ length: 24_000 }, (_, index) => `"${index.toString(36)}":1`).join(",")}}`;

/** What strangers may send, each as the bytes of one connection, by what is hostile about it. */
export const hostileRequests = (): Record<string, Buffer> => ({
  "nesting, zipped": zipped("[".repeat(LIMIT / 2) + "]".repeat(LIMIT / 2)),
  "nested data, plain": callback(filled('{"data":')),
  "empty fields, zipped": zipped(filled("a=&")),
  "deep fields, zipped": zipped(filled("a.b.c.d.e=1&")),
  "keys, zipped": zipped(keys()),
  "lines, zipped": zipped(filled("{}\n")),
  "control characters": callback(`["${filled("\u0001a").slice(8)}"]`),
  "UUIDs that are none": callback(filled(`"collectionId":"${randomUUID()}",`)),
  "a hundred unknown ids": callback(
    JSON.stringify(Array.from({ length: 100 }, () => ({ data: { id: unknownId() } }))),
  ),
  "a bomb": callback(brotliCompressSync(Buffer.alloc(64 * LIMIT)), "Content-Encoding: br\r\n"),
  "a body over the limit": callback(Buffer.alloc(8 * LIMIT, "a")),
  "a query of nothing": callback("", "", `?${"&".repeat(15_000)}`),
  "headers of slashes": callback("{}", `X-Odd: ${"/callbacks/".repeat(1_300)}\r\n`),
  "requests at once": atOnce(2_400, "/"),
  "callbacks at once": atOnce(100, `/callbacks/${TOKEN}`),
  "chunks of one byte": inChunksOfOneByte(`/callbacks/${TOKEN}`),
  "the same, a wrong token": inChunksOfOneByte("/callbacks/wrong"),
  "a wrong token": get(`/callbacks/${"%2f".repeat(4_000)}`),
  "metrics asked for": get("/metrics"),
  "readiness asked for": get("/readyz"),
});
