import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { TcpProxy } from "./tcp-proxy.ts";

/** A server that remembers what it got and answers each chunk with `re:` and the chunk; a proxy; a client. */
async function line() {
  const got: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (text: string) => {
      got.push(text);
      socket.write(`re:${text}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await TcpProxy.start((server.address() as AddressInfo).port);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return { got, proxy, dial: () => dial(proxy.port) };
}

async function dial(port: number) {
  const socket: Socket = connect({ port, host: "127.0.0.1" });
  const heard = { text: "", closed: false };
  socket.on("error", () => {});
  socket.setEncoding("utf8").on("data", (text: string) => {
    heard.text += text;
  });
  socket.on("close", () => {
    heard.closed = true;
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, heard, say: (text: string) => void socket.write(text) };
}

it("passes bytes both ways, and an end", async () => {
  const { dial, proxy } = await line();
  const { socket, heard, say } = await dial();
  say("a");
  await vi.waitFor(() => expect(heard.text).toBe("re:a"));
  socket.end();
  await vi.waitFor(() => expect(proxy.connections).toBe(0));
});

it.each([
  { when: "request", got: [], text: "" },
  { when: "before", got: ["pay"], text: "" },
  { when: "during", got: ["pay"], text: "re:" },
  { when: "after", got: ["pay"], text: "re:pay" },
] as const)("cuts at the $when of a reply, once, only where it matches", async ({ when, got, text }) => {
  const around = await line();
  around.proxy.cut({ when, matching: "pay" });
  const other = await around.dial();
  other.say("ask");
  await vi.waitFor(() => expect(other.heard.text).toBe("re:ask"));
  const struck = await around.dial();
  struck.say("pay");
  await vi.waitFor(() => expect(struck.heard.closed).toBe(true));
  expect(struck.heard.text).toBe(text);
  expect(around.got).toEqual(["ask", ...got]);
  expect(around.proxy.cutsLeft).toBe(0);
  expect(other.heard.closed).toBe(false);
});

it("swallows one way only, and delivers what waited when it is over", async () => {
  const { dial, proxy, got } = await line();
  const { heard, say } = await dial();
  proxy.fault({ kind: "black-hole", way: "from" });
  say("a");
  await vi.waitFor(() => expect(got).toEqual(["a"]));
  expect(heard).toEqual({ text: "", closed: false });
  proxy.heal();
  await vi.waitFor(() => expect(heard.text).toBe("re:a"));
});

it("passes on no close while it is a black hole", async () => {
  const { dial, proxy, got } = await line();
  const { socket, say } = await dial();
  say("a");
  await vi.waitFor(() => expect(got).toEqual(["a"]));
  proxy.fault({ kind: "black-hole" });
  socket.destroy();
  await once(socket, "close");
  expect(proxy.connections).toBe(1);
});

it("delays and throttles in order", async () => {
  const { dial, proxy } = await line();
  const { heard, say } = await dial();
  proxy.fault({ kind: "delay", ms: 50, way: "to" });
  proxy.fault({ kind: "throttle", bytesPerSecond: 100, way: "from" });
  const began = performance.now();
  say("0123456789");
  await vi.waitFor(() => expect(heard.text).toBe("re:0123456789"));
  expect(performance.now() - began).toBeGreaterThan(150);
});

it("refuses, and moves over to another server", async () => {
  const first = await line();
  const second = await line();
  const before = await first.dial();
  first.proxy.fault({ kind: "refuse" });
  await vi.waitFor(() => expect(before.heard.closed).toBe(true));
  first.proxy.heal();
  first.proxy.moveTo(Number(new URL(second.proxy.through("http://elsewhere/")).port));
  const after = await first.dial();
  after.say("b");
  await vi.waitFor(() => expect(second.got).toEqual(["b"]));
});
