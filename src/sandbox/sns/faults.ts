import { z } from "zod";
import { SnsError } from "./sns-error.ts";

const scope = {
  /** How many calls (or entries) it strikes before it is used up. */
  times: z.number().int().min(1).max(1_000_000_000).default(1),
  /** Only calls for this topic; all when left out. */
  topicArn: z.string().optional(),
};

const ofCalls = {
  ...scope,
  /** An action of SNS such as `PublishBatch`; all when left out. */
  action: z.string().optional(),
};

const ofMessages = {
  ...scope,
  /** Only messages that hold this text; all when left out. */
  matching: z.string().optional(),
};

/**
 * What may be told to go wrong:
 * - `throttle`: refused with `Throttled`, 429
 * - `internal-error`: `InternalError`, 500
 * - `slow`: answered `delayMs` later
 * - `drop`: carried out, then the connection is cut without an answer
 * - `hang`: neither carried out nor ever answered
 * - `refuse-credentials`: `InvalidClientTokenId`, 403
 * - `topic-missing`: `NotFound`, 404
 * - `empty-answer`: not carried out, and yet answered 200 with nothing inside
 * - `not-allowed`: `AuthorizationError`, 403
 * - `fail-entries`: entries of PublishBatch come back in `Failed` (a Publish is refused the same way)
 * - `omit-entries`: entries of PublishBatch are accepted, and the answer says nothing of them
 */
export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("throttle"), ...ofCalls }),
  z.strictObject({ kind: z.literal("internal-error"), ...ofCalls }),
  z.strictObject({ kind: z.literal("slow"), delayMs: z.number().min(0).max(600_000), ...ofCalls }),
  z.strictObject({ kind: z.literal("drop"), ...ofCalls }),
  z.strictObject({ kind: z.literal("hang"), ...ofCalls }),
  z.strictObject({ kind: z.literal("refuse-credentials"), ...ofCalls }),
  z.strictObject({ kind: z.literal("topic-missing"), ...ofCalls }),
  z.strictObject({ kind: z.literal("empty-answer"), ...ofCalls }),
  z.strictObject({ kind: z.literal("not-allowed"), ...ofCalls }),
  z.strictObject({
    kind: z.literal("fail-entries"),
    /** Whether the sender is at fault, so that sending it again cannot help. */
    senderFault: z.boolean().default(false),
    ...ofMessages,
  }),
  z.strictObject({ kind: z.literal("omit-entries"), ...ofMessages }),
]);

export type Fault = z.input<typeof faultSchema>;
type ReadFault = z.output<typeof faultSchema>;
export type EntryFault = Extract<ReadFault, { kind: "fail-entries" }>;
type Omission = Extract<ReadFault, { kind: "omit-entries" }>;
export type CallFault = Exclude<ReadFault, EntryFault | Omission>;

/** The faults that wait to strike, the first told first. */
export function createFaults() {
  let waiting: ReadFault[] = [];

  function take<F extends ReadFault>(strikes: (fault: ReadFault) => fault is F): F | undefined {
    const fault = waiting.find(strikes);
    if (fault === undefined) return undefined;
    fault.times -= 1;
    if (fault.times === 0) waiting = waiting.filter((other) => other !== fault);
    return fault;
  }

  return {
    /** @throws ZodError when the fault is not one of the kinds above. */
    add(fault: Fault): void {
      waiting.push(faultSchema.parse(fault));
    },
    clear(): void {
      waiting = [];
    },
    list(): readonly ReadFault[] {
      return waiting;
    },
    /** The fault that strikes this call, if one does; it is one strike nearer to being used up. */
    takeForCall(action: string, topicArn: string | undefined): CallFault | undefined {
      return take(
        (fault): fault is CallFault =>
          fault.kind !== "fail-entries" &&
          fault.kind !== "omit-entries" &&
          (fault.action ?? action) === action &&
          (fault.topicArn ?? topicArn) === topicArn,
      );
    },
    takeForMessage(topicArn: string, message: string): EntryFault | undefined {
      return take(
        (fault): fault is EntryFault =>
          fault.kind === "fail-entries" && strikesMessage(fault, topicArn, message),
      );
    },
    /** Whether the answer of a batch leaves this message out. */
    takeOmission(topicArn: string, message: string): boolean {
      const omission = take(
        (fault): fault is Omission =>
          fault.kind === "omit-entries" && strikesMessage(fault, topicArn, message),
      );
      return omission !== undefined;
    },
  };
}

const strikesMessage = (fault: EntryFault | Omission, topicArn: string, message: string) =>
  (fault.topicArn ?? topicArn) === topicArn && message.includes(fault.matching ?? "");

export type Faults = ReturnType<typeof createFaults>;

/** What an entry that is struck is refused with. */
export function refusalOf(fault: EntryFault): SnsError {
  return fault.senderFault
    ? new SnsError("InvalidParameter", "Invalid parameter: refused by an injected fault")
    : new SnsError("InternalError", "An internal service error, injected");
}
