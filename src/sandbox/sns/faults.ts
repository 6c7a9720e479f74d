import { z } from "zod";
import { SnsError } from "./protocol.ts";

type Refusal = readonly [code: SnsError["code"], message: string];

const INTERNAL_ERROR: Refusal = ["InternalError", "An internal service error, injected"];

/** The refusals of a whole call, by the name of the fault. */
const REFUSALS = {
  throttle: ["Throttled", "Rate exceeded"],
  "internal-error": INTERNAL_ERROR,
  "refuse-credentials": ["InvalidClientTokenId", "The security token included in the request is invalid."],
  "topic-missing": ["NotFound", "Topic does not exist"],
  "not-allowed": ["AuthorizationError", "User is not authorized to perform this action"],
} as const satisfies Record<string, Refusal>;

/** Further faults of a whole call. */
const CALL_FAULTS = [
  ...(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]),
  /** Carried out, then the connection is cut without an answer. */
  "drop",
  /** Neither carried out nor ever answered. */
  "hang",
  /** Not carried out, and yet answered 200 with nothing inside. */
  "empty-answer",
] as const;

const scope = {
  /** How many calls (or entries) it strikes before it is used up. */
  times: z.number().int().min(1).max(1_000_000_000).default(1),
  /** Only calls for this topic; all when left out. */
  topicArn: z.string().optional(),
};

/** Only this action of SNS, such as `PublishBatch`; all when left out. */
const action = z.string().optional();

/** Only messages that hold this text; all when left out. */
const matching = z.string().default("");

export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(CALL_FAULTS), ...scope, action }),
  /** Answered so much later. */
  z.strictObject({ kind: z.literal("slow"), delayMs: z.number().min(0).max(600_000), ...scope, action }),
  z.strictObject({
    /** Entries of PublishBatch come back in `Failed`; a Publish is refused the same way. */
    kind: z.literal("fail-entries"),
    /** Whether the sender is at fault, so that sending it again cannot help. */
    senderFault: z.boolean().default(false),
    ...scope,
    matching,
  }),
  /** Entries of PublishBatch are accepted, and the answer leaves them out. */
  z.strictObject({ kind: z.literal("omit-entries"), ...scope, matching }),
]);

type Fault = z.input<typeof faultSchema>;
type ReadFault = z.output<typeof faultSchema>;
type EntryFault = Extract<ReadFault, { matching: string }>;
type CallFault = Exclude<ReadFault, EntryFault>;

/** The faults that wait to strike, the oldest first. */
export function createFaults() {
  let waiting: ReadFault[] = [];

  function take<F extends ReadFault>(strikes: (fault: ReadFault) => fault is F): F | undefined {
    const fault = waiting.find(strikes);
    if (fault === undefined) return undefined;
    fault.times -= 1;
    if (fault.times === 0) waiting = waiting.filter((other) => other !== fault);
    return fault;
  }

  const takeEntryFault = (kind: EntryFault["kind"], topicArn: string, message: string) =>
    take(
      (fault): fault is EntryFault =>
        "matching" in fault &&
        fault.kind === kind &&
        (fault.topicArn ?? topicArn) === topicArn &&
        message.includes(fault.matching),
    );

  return {
    /** @throws ZodError when the fault is not one of the kinds above. */
    add(fault: Fault): void {
      waiting.push(faultSchema.parse(fault));
    },
    clear(): void {
      waiting = [];
    },
    /** The fault that strikes this call, if one does; it is one strike nearer to being used up. */
    takeForCall: (action: string, topicArn: unknown): CallFault | undefined =>
      take(
        (fault): fault is CallFault =>
          !("matching" in fault) &&
          (fault.action ?? action) === action &&
          (fault.topicArn ?? topicArn) === topicArn,
      ),
    /** The refusal of an entry, if a fault strikes it. */
    takeForMessage(topicArn: string, message: string): SnsError | undefined {
      const fault = takeEntryFault("fail-entries", topicArn, message);
      if (fault?.kind !== "fail-entries") return undefined;
      return fault.senderFault
        ? new SnsError("InvalidParameter", "Invalid parameter: refused by an injected fault")
        : new SnsError(...INTERNAL_ERROR);
    },
    /** Whether the answer of a batch leaves this message out. */
    takeOmission: (topicArn: string, message: string) =>
      takeEntryFault("omit-entries", topicArn, message) !== undefined,
  };
}

export type Faults = ReturnType<typeof createFaults>;

export function refusalOfCall({ kind }: CallFault): SnsError | undefined {
  const refusal = (REFUSALS as Partial<Record<string, Refusal>>)[kind];
  return refusal && new SnsError(...refusal);
}
