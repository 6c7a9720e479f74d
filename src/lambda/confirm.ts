import { passHandler } from "./pass-handler.ts";

/**
 * Asks the provider about every confirmation that is due. Woken after callbacks; each minute for what waits
 * or was lost.
 */
export const handler = passHandler((passes) => [passes.rescue, passes.confirm, passes.tell], {
  lingerMs: 3_000,
  isWorker: true,
});
