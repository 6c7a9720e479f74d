import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import pg from "pg";
import { queueConsumers } from "../examples/queue-consumers.ts";
import { start, until } from "./programs.ts";
import { tools } from "./tools.ts";

const builds = join(tools.folder, "consumers");
type Command = [string, ...string[]];

/** Builds the consumers of examples/ that read a queue. @returns the command of each, by language */
export async function buildConsumers(): Promise<Map<string, Command>> {
  await mkdir(builds, { recursive: true });
  const built = new Map<string, Command>();
  for (const [language, { prepare }] of Object.entries(queueConsumers(builds)))
    built.set(language, await prepare());
  return built;
}

interface Harness {
  topicArn: string;
  env: Record<string, string>;
  /** Makes an empty database. @returns its URL */
  createDatabase(name: string): Promise<string>;
}

/** Runs one consumer: a queue of its own, subscribed with raw delivery, and a database of its own. */
export async function startConsumer(
  [language, command]: [string, Command],
  { topicArn, env, createDatabase }: Harness,
) {
  const fifo = topicArn.endsWith(".fifo");
  const sqs = new SQSClient();
  const name = `${language}-${randomUUID()}${fifo ? ".fifo" : ""}`;
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: name, ...(fifo && { Attributes: { FifoQueue: "true" } }) }),
  );
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }),
  );
  await new SNSClient().send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: "sqs",
      Endpoint: Attributes?.QueueArn,
      Attributes: { RawMessageDelivery: "true" },
    }),
  );
  const url = new URL(await createDatabase(`${language.toLowerCase()}_${fifo ? "fifo" : "standard"}`));
  const databaseUrl = queueConsumers(builds)[language]?.databaseUrl(url);
  const program = start(command, { env: { ...env, QUEUE_URL: QueueUrl, DATABASE_URL: databaseUrl } });
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  return {
    language,
    /**
     * Waits until all invoices are booked, and nothing else.
     * @throws Error with what the program printed. @returns how many copies it left out
     */
    async booked(invoiceIds: readonly string[]): Promise<number> {
      const read = async (): Promise<string[]> =>
        (await pool.query("select invoice_id from booking order by 1")).rows.map((row) => row.invoice_id);
      const want = [...invoiceIds].sort().join();
      await until(`all bookings in ${language}`, async () => {
        // It makes its table when it starts.
        return (await read().catch(() => [])).length >= invoiceIds.length;
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${program.printed()}`);
      });
      if ((await read()).join() !== want) throw new Error(`${language} booked something else`);
      if (program.printed().includes("not handled")) throw new Error(program.printed());
      return program.printed().split("duplicate ").length - 1;
    },
    async stop() {
      await program.stop();
      await pool.end();
    },
  };
}
