import { parentPort } from "node:worker_threads";

/** Stands in for the thread that reads callbacks, and does what the body says. */
parentPort.on("message", ({ body }) => {
  const order = Buffer.from(body).toString();
  if (order === "die") process.exit(1);
  if (order === "throw") throw new TypeError("a bug");
  if (order === "hang") for (;;);
  if (order === "swallow memory") for (const held = []; ; ) held.push(new Array(10_000).fill({}));
  parentPort.postMessage({ kind: "ping", unread: [] });
});
parentPort.postMessage("up");
