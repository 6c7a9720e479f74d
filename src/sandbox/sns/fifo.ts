/** How long SNS remembers a deduplication id. */
const WINDOW_MS = 5 * 60_000;

/** What the first message of a deduplication id was answered with. */
export interface FirstAcceptance {
  readonly messageId: string;
  readonly sequenceNumber: string;
  /** Its place in the journal. */
  readonly place: number;
}

/**
 * The memory of one FIFO topic: sequence numbers, and the deduplication ids of the last five minutes.
 * Past `most` ids the oldest is forgotten early, so that memory stays bounded.
 */
export function createFifo(options: { now: () => number; most?: number }) {
  const most = options.most ?? 500_000;
  // Insertion order is the order of time: whatever is to be forgotten stands in front.
  const seen = new Map<string, FirstAcceptance & { readonly at: number }>();
  let sequence = 0;

  function forgetOld(): void {
    const oldest = options.now() - WINDOW_MS;
    for (const [id, first] of seen) {
      if (first.at > oldest && seen.size <= most) return;
      seen.delete(id);
    }
  }

  return {
    firstOf(deduplicationId: string): FirstAcceptance | undefined {
      forgetOld();
      return seen.get(deduplicationId);
    },
    remember(deduplicationId: string, first: FirstAcceptance): void {
      seen.set(deduplicationId, { ...first, at: options.now() });
    },
    /** Twenty digits, larger for every later message. */
    nextSequenceNumber(): string {
      sequence += 1;
      return `1${String(sequence).padStart(19, "0")}`;
    },
  };
}

export type Fifo = ReturnType<typeof createFifo>;
