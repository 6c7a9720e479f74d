import { z } from "zod";
import { CALLBACK_VARIANTS } from "../callbacks/callback-request.ts";
import { duration } from "./when.ts";

export const callbackFaults = z.strictObject({
  delayMs: duration.default(0).describe("Callbacks leave so much later than the payment."),
  copies: z.int().min(1).max(20).default(1).describe("How often each callback is sent."),
  copyGapMs: duration.default(0).describe("The time from one copy to the next."),
  reorderWithinMs: duration
    .default(0)
    .describe("Callbacks of payments within one such span leave at its end in reverse, the last one first."),
  never: z.boolean().default(false).describe("Callbacks are queued, logged as withheld, and never sent."),
  variants: z
    .array(z.enum(CALLBACK_VARIANTS))
    .min(1)
    .default(["documented"])
    .describe("The shapes of the callbacks, one after the other."),
  paymentReadableAfterMs: duration
    .default(0)
    .describe("The callback is sent at once, but the API shows the payment only so much later."),
  paymentHiddenAs: z
    .enum(["Unpaid", "missing"])
    .default("Unpaid")
    .describe("What the API shows until then: the invoice unpaid, or no invoice at all (404)."),
});

export type CallbackFaults = z.output<typeof callbackFaults>;
export type CallbackFaultsInput = z.input<typeof callbackFaults>;
