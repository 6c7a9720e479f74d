import { SnsError } from "./protocol.ts";

const INTERNAL_ERROR = ["InternalError", "An internal service error, injected"] as const;

/** The refusals of a whole call, by the name of the fault. */
const REFUSALS = {
  throttle: ["Throttled", "Rate exceeded"],
  "internal-error": INTERNAL_ERROR,
  "refuse-credentials": ["InvalidClientTokenId", "The security token included in the request is invalid."],
  "topic-missing": ["NotFound", "Topic does not exist"],
  "not-allowed": ["AuthorizationError", "User is not authorized to perform this action"],
} as const;

const CALL_FAULTS = [
  ...(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]),
  /** Carried out, then the connection is cut without an answer. */
  "drop",
  /** Neither carried out nor ever answered. */
  "hang",
  /** Not carried out, and yet answered 200 with nothing inside. */
  "empty-answer",
  /** Answered `delayMs` later. */
  "slow",
] as const;

const ENTRY_FAULTS = [
  /** Entries of PublishBatch come back in `Failed`; a Publish is refused the same way. */
  "fail-entries",
  /** Entries of PublishBatch are accepted, and the answer leaves them out. */
  "omit-entries",
] as const;

export interface Fault {
  kind: (typeof CALL_FAULTS | typeof ENTRY_FAULTS)[number];
  /** How many calls (or entries) it strikes before it is used up; 1 when left out. */
  times?: number;
  /** Only calls for this topic. */
  topicArn?: string;
  /** Only this action of SNS, such as `PublishBatch`. */
  action?: string;
  delayMs?: number;
  /** Only messages that hold this text. */
  matching?: string;
  /** Whether the sender of the entry is at fault, so that sending it again cannot help. */
  senderFault?: boolean;
}

/** The faults that wait to strike, the oldest first. */
export function createFaults() {
  let waiting: (Fault & { left: number })[] = [];

  function take(kinds: readonly Fault["kind"][], topicArn: unknown, strikes: (fault: Fault) => boolean) {
    const fault = waiting.find(
      (one) => kinds.includes(one.kind) && (one.topicArn ?? topicArn) === topicArn && strikes(one),
    );
    if (fault === undefined) return undefined;
    fault.left -= 1;
    if (fault.left === 0) waiting = waiting.filter((other) => other !== fault);
    return fault;
  }

  return {
    add: (fault: Fault) => void waiting.push({ ...fault, left: fault.times ?? 1 }),
    clear(): void {
      waiting = [];
    },
    /** The fault that strikes this call, if one does; it is one strike nearer to being used up. */
    takeForCall: (action: string, topicArn: unknown) =>
      take(CALL_FAULTS, topicArn, (fault) => (fault.action ?? action) === action),
    /** The refusal of an entry, if a fault strikes it. */
    takeForMessage(topicArn: string, message: string): SnsError | undefined {
      const fault = take(["fail-entries"], topicArn, ({ matching = "" }) => message.includes(matching));
      if (fault === undefined) return undefined;
      return fault.senderFault === true
        ? new SnsError("InvalidParameter", "Invalid parameter: refused by an injected fault")
        : new SnsError(...INTERNAL_ERROR);
    },
    /** Whether the answer of a batch leaves this message out. */
    takeOmission: (topicArn: string, message: string) =>
      take(["omit-entries"], topicArn, ({ matching = "" }) => message.includes(matching)) !== undefined,
  };
}

export type Faults = ReturnType<typeof createFaults>;

export function refusalOfCall(kind: Fault["kind"]): SnsError | undefined {
  if (!(kind in REFUSALS)) return undefined;
  const [code, message] = REFUSALS[kind as keyof typeof REFUSALS];
  return new SnsError(code, message);
}
