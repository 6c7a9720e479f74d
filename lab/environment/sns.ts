import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { type LocalSns, startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import type { Recorder } from "../history/recorder.ts";

export type SnsFault = Parameters<LocalSns["addFault"]>[0];

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
  topic(name: string): Promise<string> {
    return createLocalTopic(this.#sns.url, name);
  }

  fault(fault: SnsFault): void {
    this.#sns.addFault(fault);
  }

  calm(): void {
    this.#sns.clearFaults();
  }

  /** Records which events it has accepted since the last call. @returns the total number of accepted ones. */
  recordAcceptances(): number {
    const events = this.#sns.messages();
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
