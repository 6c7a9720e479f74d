import { createHash, randomUUID } from "node:crypto";
import { json } from "node:stream/consumers";
import { startServer } from "./own-server.ts";
import { onTestFinished } from "./own-test.ts";

/**
 * One queue that speaks SQS' JSON protocol, as far as SendMessage, ReceiveMessage and DeleteMessage go; a
 * message that was received stays hidden.
 */
export async function startLocalSqs() {
  const messages = new Map<string, { body: string; hidden: boolean }>();
  let failing = 0;
  const put = (body: string) => void messages.set(randomUUID(), { body, hidden: false });
  const actions: Record<string, (given: Record<string, string>) => unknown> = {
    SendMessage({ MessageBody = "" }) {
      put(MessageBody);
      return { MessageId: randomUUID(), MD5OfMessageBody: md5(MessageBody) };
    },
    ReceiveMessage() {
      const visible = [...messages].filter(([, message]) => !message.hidden).slice(0, 10);
      for (const [, message] of visible) message.hidden = true;
      const Messages = visible.map(([id, { body }]) => ({
        ...{ MessageId: id, ReceiptHandle: id, Body: body, MD5OfBody: md5(body) },
      }));
      return { Messages };
    },
    DeleteMessage({ ReceiptHandle = "" }) {
      messages.delete(ReceiptHandle);
      return {};
    },
  };
  const { url, close } = await startServer(async (request, response) => {
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const given = (await json(request)) as Record<string, string>;
    const fails = action === "SendMessage" && failing > 0;
    if (fails) failing -= 1;
    response.writeHead(fails ? 503 : 200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(fails ? { __type: "ServiceUnavailable" } : (actions[action]?.(given) ?? {})));
  });
  onTestFinished(close);
  return {
    /** What the SDK takes as its endpoint. */
    url,
    queueUrl: `${url}/000000000000/queue`,
    /** The bodies of the messages that nobody deleted, in the order they came. */
    bodies: () => [...messages.values()].map(({ body }) => body),
    /** Lets the next sends fail, as SQS says that it is away. */
    failSends: (count: number) => {
      failing = count;
    },
    put,
  };
}

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
