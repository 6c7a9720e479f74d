import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "./own-server.ts";
import { onTestFinished } from "./own-test.ts";

interface ToldMessage {
  headers: IncomingHttpHeaders;
  body: string;
  text: string;
  alarms: { name: string; subject: string; detail: string; clearedAt: string | null; runbook: string }[];
}

/** What ALARM_WEBHOOK_URL names, in a test: keeps what it is told, and answers as `mood` says. */
export interface AlarmReceiver {
  url: string;
  messages: ToldMessage[];
  /** A status, or never an answer. */
  mood: number | "hangs";
}

export async function startAlarmReceiver(): Promise<AlarmReceiver> {
  const messages: ToldMessage[] = [];
  const server = await startServer(async (request, response) => {
    const body = await text(request);
    messages.push({ headers: request.headers, body, ...JSON.parse(body) });
    if (receiver.mood !== "hangs") response.writeHead(receiver.mood).end("ok");
  });
  onTestFinished(server.close);
  const receiver: AlarmReceiver = {
    url: `${server.url}/services/planted-secret`,
    messages,
    mood: 200,
  };
  return receiver;
}
