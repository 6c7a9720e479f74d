import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { SMUGGLING } from "./smuggling.ts";
import { attackerSocket, type Target } from "./target.ts";

const MIB = 1024 ** 2;
const DRIP_MS = 50;

export interface Attack {
  name: string;
  /** Goes on for as long as its process lives. */
  run(target: Target): unknown;
}

/** Keeps so many connections open, each of which sends the bytes and then a drop every 50 ms. */
const keepSending = (connections: number, bytes: string | Buffer, drop = "") =>
  function run(target: Target) {
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

/** The same with a peer that reads nothing. */
const neverReading = (connections: number, bytes: string) => (target: Target) => {
  for (let n = 0; n < connections; n += 1) attackerSocket(target).write(bytes);
};

/** So many requests a second, over connections that are kept where the target keeps them. */
const atRate = (perSecond: number, bytes: string | Buffer) => (target: Target) => {
  const connections = 50;
  for (let n = 0; n < connections; n += 1) {
    let socket = attackerSocket(target).resume();
    const send = () => {
      if (!socket.writable) socket = attackerSocket(target).resume();
      socket.write(bytes);
    };
    setInterval(send, (1_000 * connections) / perSecond);
  }
};

export function attacksOn(token: string): Attack[] {
  const path = `/callbacks/${token}`;
  const get = (to: string) => `GET ${to} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const post = (to: string, headers: string) => `POST ${to} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const whole = (body: Buffer, headers: string) =>
    Buffer.concat([Buffer.from(post(path, `${headers}Content-Length: ${body.length}\r\n`)), body]);
  const chunked = "Transfer-Encoding: chunked\r\n";
  const chunks = (size: number, bytes: number) =>
    `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`.repeat(bytes / size);
  const oneByteChunks = chunks(1, (15 * MIB) / 6);
  const zeros = Buffer.alloc(64 * MIB);
  const brotli = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const all = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(10 * MIB, "a")]);
  return [
    {
      name: "2,400 requests at once on each of 50 connections",
      run: keepSending(50, get("/").repeat(2_400)),
    },
    {
      name: "3,000 callbacks at once on each of 40 connections",
      run: keepSending(40, get(path).repeat(3_000)),
    },
    { name: "3,000 callbacks at once, no answer read", run: neverReading(40, get(path).repeat(3_000)) },
    { name: "15 MiB in chunks of one byte", run: keepSending(20, post(path, chunked) + oneByteChunks) },
    {
      name: "the same, a wrong token",
      run: keepSending(20, post("/callbacks/wrong", chunked) + oneByteChunks),
    },
    { name: "200 silent connections", run: keepSending(200, "") },
    { name: "200 heads that never end", run: keepSending(200, `${get(path).slice(0, -2)}X-Slow: `, "a") },
    { name: "200 bodies drop by drop", run: keepSending(200, post(path, "Content-Length: 100000\r\n"), "a") },
    { name: "200 bodies chunk by chunk", run: keepSending(200, post(path, chunked), "1\r\na\r\n") },
    { name: "10 MiB bodies", run: keepSending(20, all(post(path, `Content-Length: ${10 * MIB}\r\n`))) },
    { name: "10 MiB bodies in chunks", run: keepSending(20, post(path, chunked) + chunks(65_536, 10 * MIB)) },
    { name: "gzip bombs", run: atRate(500, whole(gzipSync(zeros), "Content-Encoding: gzip\r\n")) },
    { name: "br bombs", run: atRate(500, whole(brotli, "Content-Encoding: br\r\n")) },
    { name: "10,000 headers", run: keepSending(50, get(path).slice(0, -2) + "X-A: b\r\n".repeat(10_000)) },
    {
      name: "a header of 1 MiB",
      run: keepSending(50, `${get(path).slice(0, -2)}X-A: ${"b".repeat(MIB)}\r\n\r\n`),
    },
    {
      name: `${SMUGGLING.length} forms of smuggling`,
      run: (target) => {
        for (const form of SMUGGLING) keepSending(1, form(path))(target);
      },
    },
    { name: "2,000 wrong tokens a second", run: atRate(2_000, get("/callbacks/wrong")) },
  ];
}
