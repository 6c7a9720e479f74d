import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { answerParent } from "../harness/answer-parent.ts";
import { nowMs } from "../harness/clock.ts";

/** The same request so many times a second, each on a connection of its own, whatever is answered. */
async function pester(options: { port: number; request: string; perSecond: number; ms: number }) {
  const request = Buffer.from(options.request, "base64");
  const startedAt = nowMs();
  let sent = 0;
  let answered = 0;
  for (; nowMs() - startedAt < options.ms; sent += 1) {
    const socket = connect({ port: options.port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.once("data", () => {
      answered += 1;
    });
    socket.resume().end(request);
    await delay(Math.max(1, startedAt + ((sent + 1) * 1_000) / options.perSecond - nowMs()));
  }
  return { sent, answered };
}

const calls = { pester };

export type StrangerCalls = typeof calls;
answerParent(calls);
