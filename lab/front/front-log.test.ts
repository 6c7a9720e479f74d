import { rmSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, toContain } from "../../test/support/eventually.ts";
import { startServer } from "../../test/support/own-server.ts";
import { attackerSocket, honestCallback, startFront } from "./nginx.ts";

/** Uppercase, so that it would pass for a method too. */
const TOKEN = "SECRET-TOKEN-0123456789-ABCDEF";
const PATH = `/callbacks/${TOKEN}`;
const LINE = `POST ${PATH}?${TOKEN} HTTP/1.1\r\nHost: x\r\nReferer: https://x/${TOKEN}\r\nUser-Agent: ${TOKEN}\r\n`;

it("the shipped front writes the status of each request, and never a path, whatever goes wrong", async () => {
  const relay = await startServer((request, response) => {
    if (request.url?.endsWith("/broken")) response.writeHead(200, { "content-length": 9 }).write("half");
    if (request.url?.endsWith("/broken")) return void setTimeout(() => response.destroy(), 50);
    if (!request.url?.endsWith("/waits")) response.end("ok");
  });
  const front = await startFront(relay.port);
  const statuses = () =>
    front
      .written()
      .split("\n")
      .map((line) => line.split(" ")[3]);
  const isWritten = (status: string) => eventually(statuses, toContain(status));
  /** Its answer, from a connection that stays open until the other side closes it. */
  const send = async (text: string) => {
    const socket = attackerSocket(front).resume();
    socket.write(text);
    await new Promise((resolve) => socket.once("close", resolve));
  };

  // Well; a body too large; a head too large; a line that is none; a head that never ends.
  await honestCallback(front, "{}", PATH);
  await isWritten("200");
  await send(`${LINE}Content-Length: 300000\r\n\r\n`);
  await isWritten("413");
  await send(`${LINE}X-A: ${"a".repeat(20_000)}\r\n\r\n`);
  await send(`${LINE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await send(`${PATH}\r\n\r\n`);
  await send(`${LINE}Content-Length: 1, 2\r\n\r\n`);
  await isWritten("400");
  await send(LINE);
  await send(`${LINE}Content-Length: 9\r\n\r\n{`);
  await isWritten("408");
  await send(`GET ${PATH}${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`);
  await isWritten("414");
  await send(`TRACE ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await isWritten("405");

  // A client that goes away; a relay that breaks off.
  const gone = attackerSocket(front);
  gone.write(`${LINE.replace("?", "/waits?")}Content-Length: 0\r\n\r\n`.replace(`?${TOKEN}`, ""));
  setTimeout(() => gone.destroy(), 500);
  await isWritten("499");
  await honestCallback(front, "{}", `${PATH}/broken`).catch(() => undefined);

  // More at once than one address may have.
  const sessions = Array.from({ length: 16 }, () =>
    connect(`https://127.0.0.1:${front.port}`, { rejectUnauthorized: false }).on("error", () => undefined),
  );
  for (const session of sessions)
    for (let n = 0; n < 100; n += 1)
      session
        .request({ ":path": `${PATH}/waits`, ":method": "GET" })
        .resume()
        .on("error", () => undefined);
  await isWritten("429");
  for (const session of sessions) session.destroy();

  // No place for a body on its way.
  rmSync(join(front.folder, "front.tmp"), { recursive: true });
  await honestCallback(front, "{}".padEnd(100_000), PATH);
  await isWritten("500");

  // No relay.
  await relay.close();
  await honestCallback(front, "{}", PATH);
  await isWritten("502");
  expect(front.written()).not.toContain("SECRET");
});
