import { describe, expect, it, onTestFinished } from "vitest";
import { rawSocket as open } from "../support/raw-socket.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const relayWith = async (changes: Record<string, string>) =>
  (await ownRelay(changes, { http: true, workers: false })).relay;

describe("a slow sender", () => {
  it.each([
    [
      "whose headers never end",
      `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nX-Slow: `,
      "",
      /^HTTP\/1\.1 408 /,
    ],
    [
      "whose body comes drop by drop",
      `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`,
      "a",
      /^HTTP\/1\.1 408 /,
    ],
    ["that says nothing at all", "", "", /^(?![\s\S]* 2\d\d )/],
    [
      "with a wrong token and an endless body",
      "POST /callbacks/wrong HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\na\r\n",
      /^HTTP\/1\.1 (408|404) /,
    ],
  ])("%s is cut off", async (_who, begins, drop, answer) => {
    const relay = await relayWith({ REQUEST_TIMEOUT: "300ms" });
    const { socket, ended } = open(relay.url, begins);
    const drip = setInterval(() => socket.write(drop), 50);
    onTestFinished(() => clearInterval(drip));
    expect(await ended).toMatch(answer);
  });
});

describe("a body", () => {
  it("over the limit is answered 413 even to a sender that writes it all before it reads", async () => {
    const relay = await relayWith({});
    const { socket, ended } = open(
      relay.url,
      `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n`,
    );
    socket.write(Buffer.alloc(900_000, "a"));
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("in chunks is taken whatever their size, but not one in chunks of a byte or so", async () => {
    const { harness, relay } = await ownRelay({}, { http: true, workers: false });
    const answerTo = (chunk: string, count: number) =>
      open(
        relay.url,
        `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`,
      ).ended;
    expect(await answerTo("a".repeat(100), 2_500)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo("a", 900)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await answerTo("a", 100_000)).toMatch(/^HTTP\/1\.1 413 /);
    const sizes = await harness.query<{ size: number }>(
      "select length(body) as size from callback order by 1",
    );
    expect(sizes.map(({ size }) => size)).toEqual([900, 250_000]);
  });
});
