import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "./own-server.ts";
import { onTestFinished } from "./own-test.ts";

interface ToldMessage {
  headers: IncomingHttpHeaders;
  body: string;
  text: string;
  alarms: (Record<"name" | "source" | "subject" | "detail" | "severity" | "link", string> &
    Record<"toldAt" | "clearedAt", string | null>)[];
}

/** What ALARM_WEBHOOK_URL names, in a test: keeps what it is told, and answers as `behaviour` says. */
interface AlarmReceiver {
  url: string;
  messages: ToldMessage[];
  /** A status, of each message its own, or never an answer. */
  behaviour: number | "hangs" | ((message: ToldMessage) => number);
  /** The body of its answers. */
  answer: string;
}

export async function startAlarmReceiver(): Promise<AlarmReceiver> {
  const messages: ToldMessage[] = [];
  const server = await startServer(async (request, response) => {
    const body = await text(request);
    const message: ToldMessage = { headers: request.headers, body, ...JSON.parse(body) };
    messages.push(message);
    const { behaviour } = receiver;
    if (behaviour !== "hangs")
      response.writeHead(typeof behaviour === "number" ? behaviour : behaviour(message)).end(receiver.answer);
  });
  onTestFinished(server.close);
  const url = `${server.url}/services/planted-secret`;
  const receiver: AlarmReceiver = { url, messages, behaviour: 200, answer: "ok" };
  return receiver;
}
