import { parentPort } from "node:worker_threads";
import { type CallbackRequest, readCallback } from "./reading/read-callback.ts";

/** What `ReadingThread` runs in its thread: a callback comes in, what it names goes out. */
parentPort?.on("message", (request: CallbackRequest) => parentPort?.postMessage(readCallback(request)));
parentPort?.postMessage("up");
