import { passHandler } from "./pass-handler.ts";

/**
 * Sends every event that is due to SNS. Woken after confirmations, and every minute for retries and lost
 * wake-ups.
 */
export const handler = passHandler((passes) => [[passes.rescue, passes.publish]], {
  lingerMs: 3_000,
  isWorker: true,
});
