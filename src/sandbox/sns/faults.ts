import { z } from "zod";
import { SnsError } from "./answers.ts";

/** What strikes a whole call. */
const CALL_FAULTS = [
  /** Refused with `Throttled`, 429. */
  "throttle",
  /** `InternalError`, 500. */
  "internal-error",
  /** Carried out, then the connection is cut without an answer. */
  "drop",
  /** Neither carried out nor ever answered. */
  "hang",
  /** `InvalidClientTokenId`, 403. */
  "refuse-credentials",
  /** `NotFound`, 404. */
  "topic-missing",
  /** Not carried out, and yet answered 200 with nothing inside. */
  "empty-answer",
  /** `AuthorizationError`, 403. */
  "not-allowed",
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
  /** Entries of PublishBatch are accepted, and the answer says nothing of them. */
  z.strictObject({ kind: z.literal("omit-entries"), ...scope, matching }),
]);

export type Fault = z.input<typeof faultSchema>;
type ReadFault = z.output<typeof faultSchema>;
type OfKind<Kind> = Extract<ReadFault, { kind: Kind }>;
type EntryFault = OfKind<"fail-entries">;
export type CallFault = Exclude<ReadFault, { matching: string }>;

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

  function takeEntryFault<Kind extends "fail-entries" | "omit-entries">(
    kind: Kind,
    topicArn: string,
    message: string,
  ): OfKind<Kind> | undefined {
    return take(
      (fault): fault is OfKind<Kind> =>
        "matching" in fault &&
        fault.kind === kind &&
        (fault.topicArn ?? topicArn) === topicArn &&
        message.includes(fault.matching),
    );
  }

  return {
    /** @throws ZodError when the fault is not one of the kinds above. */
    add(fault: Fault): void {
      waiting.push(faultSchema.parse(fault));
    },
    clear(): void {
      waiting = [];
    },
    list: (): readonly ReadFault[] => waiting,
    /** The fault that strikes this call, if one does; it is one strike nearer to being used up. */
    takeForCall: (action: string, topicArn: unknown): CallFault | undefined =>
      take(
        (fault): fault is CallFault =>
          !("matching" in fault) &&
          (fault.action ?? action) === action &&
          (fault.topicArn ?? topicArn) === topicArn,
      ),
    takeForMessage: (topicArn: string, message: string) => takeEntryFault("fail-entries", topicArn, message),
    /** Whether the answer of a batch leaves this message out. */
    takeOmission: (topicArn: string, message: string) =>
      takeEntryFault("omit-entries", topicArn, message) !== undefined,
  };
}

export type Faults = ReturnType<typeof createFaults>;

/** What an entry that is struck is refused with. */
export function refusalOf({ senderFault }: EntryFault): SnsError {
  return senderFault
    ? new SnsError("InvalidParameter", "Invalid parameter: refused by an injected fault")
    : new SnsError("InternalError", "An internal service error, injected");
}
