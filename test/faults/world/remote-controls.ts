import { join, resolve } from "node:path";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import type { Recorder } from "../history/recorder.ts";
import { OwnProcess, type OwnProcessOptions } from "./own-process.ts";
import type { KeptInvoice } from "./provider-books.ts";
import type { Mood } from "./provider-mood.ts";

type Surroundings = Pick<OwnProcessOptions, "folder" | "recorder">;

async function tell(url: string, method: string, body?: unknown): Promise<Response> {
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** The provider's process and its control routes. */
export class Provider {
  readonly process: OwnProcess;
  readonly port: number;

  private constructor(process: OwnProcess, port: number) {
    this.process = process;
    this.port = port;
  }

  /** @param keys the source that each API key belongs to. */
  static async start(around: Surroundings, keys: Record<string, string>): Promise<Provider> {
    const main = join(import.meta.dirname, "provider-main.ts");
    const process = new OwnProcess({
      ...around,
      name: "provider-process",
      args: [main, around.folder, JSON.stringify(keys)],
    });
    const [, port] = await process.says(/^port (\d+)$/);
    return new Provider(process, Number(port));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async keep(...changes: (Partial<KeptInvoice> & { id: string })[]): Promise<void> {
    await tell(`${this.url}/_control/invoices`, "PUT", changes);
  }

  async feel(mood: Mood): Promise<void> {
    await tell(`${this.url}/_control/mood`, "PUT", mood);
  }
}

/** The faults of the local SNS; its control route validates them. */
export interface SnsFault {
  kind: string;
  times?: number;
  [field: string]: unknown;
}

interface ShownMessage {
  topicArn: string;
  messageId: string;
  message: string;
  messageAttributes: Record<string, { Value: string }>;
  acceptedAt: string;
}

/** The name of the topic for the ledger's roots. */
export const ROOTS_TOPIC = "ledger-roots";

/** The process of the local SNS, and its control routes. */
export class Sns {
  readonly process: OwnProcess;
  readonly port: number;
  readonly #recorder: Recorder;
  readonly #recorded = new Set<string>();

  private constructor(process: OwnProcess, port: number, recorder: Recorder) {
    this.process = process;
    this.port = port;
    this.#recorder = recorder;
  }

  static async start(around: Surroundings): Promise<Sns> {
    const main = resolve(import.meta.dirname, "../../../src/cli/main.ts");
    const args = [main, "local-sns", "--port", "0", "--json"];
    const process = new OwnProcess({ ...around, name: "sns-process", args });
    const [, port] = await process.says(/"port":\s*(\d+)/);
    return new Sns(process, Number(port), around.recorder);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Creates a topic, or finds the one with this name. @returns its ARN. */
  async topic(name: string): Promise<string> {
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const client = new SNSClient({ endpoint: this.url, region: "us-east-1", credentials });
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: name }));
    client.destroy();
    return String(TopicArn);
  }

  async fault(...faults: SnsFault[]): Promise<void> {
    await tell(`${this.url}/_control/faults`, "POST", faults);
  }

  async calm(): Promise<void> {
    await tell(`${this.url}/_control/faults`, "DELETE");
  }

  /**
   * Writes which events it has accepted since the last call into the history. @returns the total number of
   * accepted ones.
   */
  async recordAcceptances(): Promise<number> {
    const answer = await tell(`${this.url}/_control/messages`, "GET");
    const { messages, forgotten } = (await answer.json()) as { messages: ShownMessage[]; forgotten: number };
    if (forgotten > 0) throw new Error("The local SNS forgot messages: the run was too long for its memory.");
    const events = messages.filter(({ topicArn }) => !topicArn.endsWith(`:${ROOTS_TOPIC}`));
    for (const { topicArn, messageId, message, messageAttributes, acceptedAt } of events) {
      if (this.#recorded.has(messageId)) continue;
      this.#recorded.add(messageId);
      const replay = messageAttributes.replay?.Value ?? null;
      const accepted = { what: "accepted" as const, topicArn, messageId, message, replay };
      this.#recorder.record(accepted, Date.parse(acceptedAt));
    }
    return events.length;
  }
}
