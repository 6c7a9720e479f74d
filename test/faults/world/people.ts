import { json } from "node:stream/consumers";
import { type OwnServer, startServer } from "../../support/own-server.ts";
import type { Recorder } from "../history/recorder.ts";

interface Message {
  alarms: { name: string; source: string; subject: string; raisedAt: string; clearedAt: string | null }[];
}

/** The receiver behind ALARM_WEBHOOK_URL: records each message before it acknowledges it. */
export const startPeople = (recorder: Recorder): Promise<OwnServer> =>
  startServer(async (request, response) => {
    const { alarms } = (await json(request)) as Message;
    for (const { name, source, subject, raisedAt, clearedAt } of alarms)
      recorder.record({ what: "told", name, source, subject, raisedAt, clearedAt });
    response.writeHead(200).end();
  });
