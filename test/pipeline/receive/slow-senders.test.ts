import { describe, expect, it, onTestFinished } from "vitest";
import { onceForAll } from "../../support/own-test.ts";
import { rawSocket as open } from "../../support/raw-socket.ts";
import { ownRelay, TOKEN } from "../../support/relay.ts";

const PATH = `/callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\n`;

describe("a slow sender", () => {
  const own = onceForAll(() => ownRelay({ REQUEST_TIMEOUT: "300ms" }, { http: true, workers: false }));

  it.each([
    ["whose headers never end", `POST ${PATH}X-Slow: `, ""],
    ["whose body comes drop by drop", `POST ${PATH}Content-Length: 1000\r\n\r\n`, "a"],
  ])("%s is cut off", async (_who, begins, drop) => {
    const { socket, ended } = open(own().relay.url, begins);
    const drip = setInterval(() => socket.write(drop), 50);
    onTestFinished(() => clearInterval(drip));
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });
});

it("a body over the limit is answered 413 to a sender that writes it all; tiny chunks are a body too", async () => {
  const { harness, relay } = await ownRelay({}, { http: true, workers: false });
  const { socket, ended } = open(relay.url, `POST ${PATH}Content-Length: 900000\r\n\r\n`);
  socket.write(Buffer.alloc(900_000, "a"));
  expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  const answerTo = (chunk: string, count: number) =>
    open(
      relay.url,
      `POST ${PATH}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`,
    ).ended;
  expect(await answerTo("a", 900)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await answerTo("a", 300_000)).toMatch(/^HTTP\/1\.1 413 /);
  const sizes = await harness.query("select length(body) as size from callback order by 1");
  expect(sizes.map(({ size }) => size)).toEqual([900]);
});
