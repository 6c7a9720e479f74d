/** One event on its way to a topic. */
export interface OutgoingEvent {
  id: string;
  source: string;
  invoiceId: string;
  type: string;
  invoiceType: string;
  collectionName: string | null;
  /** Exactly what is sent. */
  payload: string;
  /** The trace context of this message; none while tracing is off. */
  traceparent?: string | null;
}

/** What became of one event. */
export type EntryOutcome =
  | { kind: "accepted"; messageId: string }
  /** This event is at fault: sent again, it would be refused again. */
  | { kind: "refused"; error: string }
  /** It failed, or nobody knows: sent again with the same id (G5). */
  | { kind: "failed"; error: string };

/** What became of a batch. */
export type BatchOutcome =
  /** Entry by entry, in the order of the batch. */
  | { kind: "answered"; entries: readonly EntryOutcome[] }
  /** The request as a whole was at fault. */
  | { kind: "refused"; error: string }
  /** Throttling, 5xx, time-out: the outcome of every entry is unknown. */
  | { kind: "failed"; error: string }
  /** Credentials refused or missing, no such topic, no right to use it. */
  | { kind: "topic_refused"; error: string };

/** What a destination says about a topic. */
export type TopicDescription =
  /**
   * `subscriptions` counts the confirmed ones; `signatureVersion` is how messages are signed: 1 is SHA-1, 2
   * is SHA-256.
   */
  | { kind: "there"; subscriptions: number; signatureVersion: string }
  /** These credentials may not ask, which says nothing about publishing. */
  | { kind: "not_allowed"; error: string }
  | { kind: "fault"; error: string /** It did not answer, or cannot now. */; away: boolean };

/** The port to where events go: what the stages know of it. Outcomes are results, nothing is thrown. */
export interface Destination {
  /** The most events of one batch. */
  readonly batchSize: number;
  /** How many of the first events fit into one batch; at least one. */
  fitting(events: readonly OutgoingEvent[]): number;
  /** @param replayId marks what is sent again on purpose. */
  send(topicArn: string, batch: readonly OutgoingEvent[], replayId?: string): Promise<BatchOutcome>;
  describe(topicArn: string): Promise<TopicDescription>;
  close(): void;
}
