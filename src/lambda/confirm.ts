import { passHandler } from "./pass-handler.ts";

/**
 * Asks the provider about every confirmation that is due. Woken after callbacks, and every minute for retries
 * and lost wake-ups.
 */
export const handler = passHandler((passes) => [passes.rescue, passes.chores, passes.confirm, passes.tell], {
  lingerMs: 3_000,
  isWorker: true,
});
