import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    messages.push({ headers: request.headers, body, ...JSON.parse(body) });
    if (receiver.mood !== "hangs") response.writeHead(receiver.mood).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: AlarmReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/planted-secret`,
    messages,
    mood: 200,
  };
  return receiver;
}
