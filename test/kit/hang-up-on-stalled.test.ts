import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen } from "../../src/kit/http-server.ts";
import { rawSocket } from "../support/raw-socket.ts";

/** More than any kernel keeps for two sockets of one machine. */
const MUCH = Buffer.alloc(64 * 1024 ** 2, "a");

const LIMIT = { withinMs: 1_000, leastBytes: 1 };

/** A server with this limit, and which of its connections are open, by the path that they asked for. */
async function serving(handler: RequestListener, stall = LIMIT) {
  const open = new Map<string, Socket>();
  const server = await listen(
    (request, response) => {
      const path = request.url ?? "";
      open.set(path, request.socket);
      request.socket.once("close", () => open.delete(path));
      handler(request, response);
    },
    { name: "test", port: 0, host: "127.0.0.1", stall },
  );
  onTestFinished(() => server.close(0));
  const ask = (path: string) => rawSocket(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  /** Asks, and never reads. */
  const notReading = async (path: string) => {
    const asked = ask(path);
    asked.socket.pause();
    await vi.waitFor(() => expect(open.has(path)).toBe(true));
    return asked;
  };
  const cut = (path: string) => vi.waitFor(() => expect(open.has(path)).toBe(false));
  return { open, ask, stall: notReading, cut };
}

/** More than the kernel lets go at a time: the server gets on with each sip, however rare they are. */
const SIP = 3 * 1024 ** 2;

/** Reads so many bytes, or a chunk, every so often; what is returned reads on to the end. */
function sip(socket: Socket, { everyMs, bytes = 1 }: { everyMs: number; bytes?: number }): () => void {
  let isOver = false;
  let left = 0;
  socket.on("data", (chunk) => {
    left -= chunk.length;
    if (left <= 0 && !isOver) socket.pause();
  });
  const sipping = setInterval(() => {
    left = bytes;
    socket.resume();
  }, everyMs);
  const readOn = () => {
    isOver = true;
    clearInterval(sipping);
    socket.resume();
  };
  onTestFinished(readOn);
  return readOn;
}

describe("a connection whose answer does not get on", () => {
  it("is hung up on, also when its peer goes on sending", async () => {
    const { stall, cut } = await serving((_request, response) => response.end(MUCH));
    await stall("/silent");
    const { socket } = await stall("/sending");
    // Line breaks between two requests: no request begins with them, so no time-out of requests ends them.
    const drip = setInterval(() => socket.write("\r\n"), 50);
    onTestFinished(() => clearInterval(drip));
    await cut("/silent");
    await cut("/sending");
  });

  it("is hung up on when it gets on by less than it has to", async () => {
    const most = { ...LIMIT, leastBytes: MUCH.length };
    const { stall, cut } = await serving((_request, response) => response.end(MUCH), most);
    const { socket, ended } = await stall("/dribble");
    const readOn = sip(socket, { everyMs: 20 });
    await cut("/dribble");
    readOn();
    expect((await ended).length).toBeLessThan(MUCH.length);
  });

  it("is not one that gets on slowly, that has nothing to send yet, or that is a stream", async () => {
    const late: (() => void)[] = [];
    const { open, ask, stall, cut } = await serving((request, response) => {
      if (request.url === "/late") late.push(() => response.end("late"));
      else if (request.url === "/stream") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const beat = setInterval(() => response.write(": \n\n"), 20);
        response.once("close", () => clearInterval(beat));
      } else response.writeHead(200, { connection: "close" }).end(MUCH);
    });
    const answered = ask("/late");
    const streaming = ask("/stream");
    const slow = await stall("/slow");
    const readOn = sip(slow.socket, { everyMs: 200, bytes: SIP });
    // As long as two who do not read last, one after the other.
    for (const path of ["/stalled", "/stalled-too"]) {
      await stall(path);
      await cut(path);
    }
    expect([...open.keys()].sort()).toEqual(["/late", "/slow", "/stream"]);
    for (const answer of late) answer();
    await new Promise((resolve) => answered.socket.once("data", resolve));
    readOn();
    expect((await slow.ended).length).toBeGreaterThan(MUCH.length);
    streaming.socket.destroy();
  });
});
