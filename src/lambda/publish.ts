import { passHandler } from "./pass-handler.ts";

/**
 * Sends every event that is due to SNS. Woken after confirmations; each minute for what waits or was lost.
 */
export const handler = passHandler((passes) => [passes.rescue, passes.publish], {
  lingerMs: 3_000,
  isWorker: true,
});
