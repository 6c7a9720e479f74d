import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Recorder } from "../history/recorder.ts";

interface Message {
  alarms: { name: string; source: string; subject: string; raisedAt: string; clearedAt: string | null }[];
}

/** The receiver behind ALARM_WEBHOOK_URL: writes each message into the history before it acknowledges it. */
export class People {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(recorder: Recorder): Promise<People> {
    const server = createServer(async (request, response) => {
      const { alarms } = JSON.parse(await text(request)) as Message;
      for (const { name, source, subject, raisedAt, clearedAt } of alarms)
        recorder.record({ what: "told", name, source, subject, raisedAt, clearedAt });
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new People(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/alarms`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
