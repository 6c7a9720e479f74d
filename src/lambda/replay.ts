import { passHandler } from "./pass-handler.ts";

/** Goes on with replays that were started and that nobody works on (G9). */
export const handler = passHandler((passes) => [passes.replay]);
