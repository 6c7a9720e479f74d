import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/platform/http/http-server.ts";
import { rawSocket } from "../../support/raw-socket.ts";

const asked = (count: number) => "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);

it("a connection with more than 16 unanswered requests is closed, and no more of them are carried out (G8)", async () => {
  let [handled, refused] = [0, 0];
  const onRefused = () => {
    refused += 1;
  };
  const server = await listen(
    (_request, response) => {
      handled += 1;
      response.end("<ok>");
    },
    { name: "test", port: 0, host: "127.0.0.1", onRefused },
  );
  onTestFinished(() => server.close(0));
  const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const few = await rawSocket(server.url, asked(15) + last).ended;
  expect([few.split("<ok>").length - 1, handled, refused]).toEqual([16, 16, 0]);
  await rawSocket(server.url, asked(2_400)).ended;
  expect([handled, refused]).toEqual([32, 1]);
});

/** Listens, says where, and then accepts nothing: its thread is busy. */
const BUSY_SERVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData.module).then(async ({ listen }) => {
    const { port } = await listen(() => undefined, { name: "test", port: 0, host: "127.0.0.1" });
    parentPort.postMessage(port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

it("a thousand connections reach a process that is busy, none of them only at its peer's next try", async () => {
  // 4,096 with Linux since 5.4; other systems do not say.
  const allowed = Number(await readFile("/proc/sys/net/core/somaxconn", "latin1").catch(() => "100"));
  const module = new URL("../../../src/platform/http/http-server.ts", import.meta.url).href;
  const server = new Worker(BUSY_SERVER, { eval: true, workerData: { module } });
  onTestFinished(() => void server.terminate());
  const [port] = await once(server, "message");
  const peers = Array.from({ length: Math.min(1_000, allowed) }, () => connect({ port, host: "127.0.0.1" }));
  onTestFinished(() => peers.forEach((peer) => void peer.destroy()));
  // Of more than may wait, the kernel answers none while the process is busy, which lasts until the end.
  await Promise.all(peers.map((peer) => once(peer, "connect")));
});
