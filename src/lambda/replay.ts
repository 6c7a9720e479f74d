import { passHandler } from "./pass-handler.ts";

/** Runs replays that were started and that no process works on (G9). */
export const handler = passHandler((passes) => [[passes.replay]]);
