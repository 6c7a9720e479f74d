import { parentPort } from "node:worker_threads";
import { glance, readToRecord } from "./reading/read-callback.ts";
import type { ToRead } from "./reading-thread.ts";

/** What `ReadingThread` runs in its thread: a callback comes in, what it names goes out. */
parentPort?.on("message", (message: { request: ToRead; inflatedBytes: number }) => {
  const { request, inflatedBytes } = message;
  const read = request.isRefused === true ? glance : readToRecord;
  parentPort?.postMessage(read(request, { inflatedBytes }));
});
parentPort?.postMessage("up");
