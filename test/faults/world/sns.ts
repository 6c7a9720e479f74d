import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import { type LocalSns, startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import type { Recorder } from "../history/recorder.ts";

export type SnsFault = Parameters<LocalSns["addFault"]>[0];

/** The name of the topic for the ledger's roots. */
export const ROOTS_TOPIC = "ledger-roots";

/** More than any run has. */
const KEPT_MESSAGES = 10_000_000;

/** The local SNS of a run; what it accepted goes into the history. */
export class Sns {
  readonly #sns: LocalSns;
  readonly #recorder: Recorder;
  readonly #recorded = new Set<string>();

  private constructor(sns: LocalSns, recorder: Recorder) {
    this.#sns = sns;
    this.#recorder = recorder;
  }

  static async start(recorder: Recorder): Promise<Sns> {
    return new Sns(await startLocalSns({ port: 0, keep: KEPT_MESSAGES }), recorder);
  }

  get port(): number {
    return this.#sns.port;
  }

  /** Creates a topic, or finds the one with this name. @returns its ARN. */
  async topic(name: string): Promise<string> {
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const client = new SNSClient({ endpoint: this.#sns.url, region: "us-east-1", credentials });
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: name }));
    client.destroy();
    return String(TopicArn);
  }

  fault(fault: SnsFault): void {
    this.#sns.addFault(fault);
  }

  calm(): void {
    this.#sns.clearFaults();
  }

  /** Records which events it has accepted since the last call. @returns the total number of accepted ones. */
  recordAcceptances(): number {
    const events = this.#sns.messages().filter(({ topicArn }) => !topicArn.endsWith(`:${ROOTS_TOPIC}`));
    for (const { topicArn, messageId, message, messageAttributes, acceptedAt } of events) {
      if (this.#recorded.has(messageId)) continue;
      this.#recorded.add(messageId);
      const replay = messageAttributes.replay?.Value ?? null;
      const accepted = { what: "accepted" as const, topicArn, messageId, message, replay };
      this.#recorder.record(accepted, Date.parse(acceptedAt));
    }
    return events.length;
  }

  close(): Promise<void> {
    return this.#sns.close();
  }
}
