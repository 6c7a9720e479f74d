import { randomUUID } from "node:crypto";
import type { CallbackFaults } from "../faults/callback-faults.ts";
import type { CallbackVariant } from "./callback-request.ts";

/** What a payment queues, one entry a copy. */
export interface PlannedCallback {
  readonly copy: number;
  readonly webhookId: string;
  readonly notificationId: string;
  readonly variant: CallbackVariant;
  /** How long after the payment it leaves, in ms. */
  readonly delayMs: number;
  readonly state: "due" | "withheld";
}

/** The callbacks of a payment made at `now`: one, unless the terms say otherwise. */
export function planCallbacks(
  terms: CallbackFaults,
  nextVariant: () => CallbackVariant,
  now: Date,
): PlannedCallback[] {
  const notificationId = randomUUID();
  return Array.from({ length: terms.copies }, (_, copy) => ({
    copy,
    webhookId: randomUUID(),
    notificationId,
    variant: nextVariant(),
    delayMs: terms.delayMs + copy * terms.copyGapMs + reorderDelayMs(terms, now.getTime()),
    state: terms.never ? "withheld" : "due",
  }));
}

/**
 * Mirrors the payment's moment at the end of its span: of two payments in one span, the later one's callback
 * leaves earlier.
 */
export function reorderDelayMs({ reorderWithinMs }: Pick<CallbackFaults, "reorderWithinMs">, nowMs: number) {
  if (reorderWithinMs === 0) return 0;
  const untilEnd = reorderWithinMs - (nowMs % reorderWithinMs);
  return 2 * untilEnd;
}

/** One after the other, and again from the first. */
export function variantsInTurn(variants: readonly CallbackVariant[]): () => CallbackVariant {
  let nth = 0;
  return () => variants[nth++ % variants.length] ?? "documented";
}
