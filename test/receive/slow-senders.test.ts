import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, toEqual } from "../support/eventually.ts";
import { rawSocket as open } from "../support/raw-socket.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const relayWith = async (changes: Record<string, string>) =>
  (await ownRelay(changes, { http: true, workers: false })).relay;

describe("a slow sender", () => {
  it("whose headers never end gets 408 and is cut off", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "300ms" });
    const { ended } = open(relay.url, `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("whose body comes drop by drop gets 408 and is cut off", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "300ms" });
    const { socket, ended } = open(
      relay.url,
      `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write("a"), 50);
    onTestFinished(() => clearInterval(drip));
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("that says nothing at all is cut off", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "300ms" });
    expect(await open(relay.url).ended).not.toMatch(/ 2\d\d /);
  });

  it("with a wrong token and an endless body is cut off as well", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "300ms" });
    const { socket, ended } = open(
      relay.url,
      "POST /callbacks/wrong HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const drip = setInterval(() => socket.write("1\r\na\r\n"), 50);
    onTestFinished(() => clearInterval(drip));
    expect(await ended).toMatch(/^HTTP\/1\.1 (408|404) /);
  });

  it("keeps nobody else waiting", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "30s" });
    for (let n = 0; n < 50; n += 1)
      open(relay.url, `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`);
    expect((await relay.callback({ event: "ping" })).status).toBe(200);
  });
});

describe("connections", () => {
  it("beyond the most are closed at once, and room is made again when one ends", async () => {
    const relay = await relayWith({ MAX_CONNECTIONS: "2" });
    const held = [open(relay.url), open(relay.url)];
    const line = `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    await vi.waitFor(async () => expect(await open(relay.url, line).ended).toBe(""));
    held[0]?.socket.destroy();
    await vi.waitFor(async () => expect(await open(relay.url, line).ended).toMatch(/^HTTP\/1\.1 200 /));
  });

  it("are not kept for whoever has no token", async () => {
    const relay = await relayWith({});
    const { ended } = open(relay.url, "GET /callbacks/wrong HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await ended).toMatch(/^HTTP\/1\.1 404 [\s\S]*connection: close/i);
  });

  it("a body over the limit is answered 413 even to a sender that writes it all before it reads", async () => {
    const relay = await relayWith({});
    const { socket, ended } = open(
      relay.url,
      `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n`,
    );
    socket.write(Buffer.alloc(2_000_000, "a"));
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("a body in chunks is taken whatever their size, but not one in chunks of a byte or so", async () => {
    const { around, relay } = await ownRelay({}, { http: true, workers: false });
    const answerTo = (chunk: string, count: number) =>
      open(
        relay.url,
        `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`,
      ).ended;
    expect(await answerTo("a".repeat(100), 2_500)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo("a", 900)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo("a", 100_000)).toMatch(/^HTTP\/1\.1 413 /);
    const sizes = await around.query<{ size: number }>(
      "select length(body) as size from callback order by 1",
    );
    expect(sizes.map(({ size }) => size)).toEqual([900, 250_000]);
  });
});

describe("large bodies that never end (G8)", () => {
  it("share a limit: 503 beyond it, small callbacks are taken, and there is room when they are gone", async () => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "60s" });
    const large = "a".repeat(200 * 1024);
    const head = `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: ${large.length + 1}\r\n\r\n`;
    const senders = Array.from({ length: 200 }, () => open(relay.url, head + large));
    expect(await Promise.race(senders.map(({ ended }) => ended))).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r/i,
    );
    expect((await relay.callback("{}")).status).toBe(200);
    for (const { socket } of senders) socket.destroy();
    await eventually(async () => (await relay.callback(large)).status, toEqual(200));
  });
});
