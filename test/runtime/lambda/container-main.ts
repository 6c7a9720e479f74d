// A container as Lambda runs it, in a process of its own: loads one handler and gives it one event after the
// other. In: lines of {"event":…,"remainingMs":…,"sleptMs":…}; the clock goes on by sleptMs before the event.
// Out: the handler's own lines, and "ANSWER {…}" after each event. One that takes longer than it may fails, as
// Lambda's time-out makes it.
import { createInterface } from "node:readline";
import { within } from "../../../src/platform/process/waiting.ts";

const TIMED_OUT = Symbol("timed out");
const [path = ""] = process.argv.slice(2);
const [, file, name = ""] = /^(.*)\.(\w+)$/.exec(path) ?? [];
const { [name]: handler } = await import(`${file}.cjs`);
const now = Date.now;
let offsetMs = 0;
Date.now = () => now() + offsetMs;
for await (const line of createInterface({ input: process.stdin })) {
  const { event, remainingMs, sleptMs } = JSON.parse(line) as Record<"remainingMs" | "sleptMs", number> & {
    event: unknown;
  };
  offsetMs += sleptMs;
  const until = Date.now() + remainingMs;
  const context = { getRemainingTimeInMillis: () => until - Date.now(), awsRequestId: "request" };
  try {
    const answer: unknown = await within(handler(event, context), remainingMs, TIMED_OUT);
    if (answer === TIMED_OUT) throw new Error(`timed out after ${remainingMs} ms`);
    process.stdout.write(`ANSWER ${JSON.stringify({ answer: answer ?? null })}\n`);
  } catch (error) {
    const { message } = error as Error;
    process.stdout.write(`ANSWER ${JSON.stringify({ error: message })}\n`);
  }
}
process.exit();
