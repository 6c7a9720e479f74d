import { passHandler } from "./pass-handler.ts";

/** Reads the provider's lists for what callbacks missed, and for genuine ids in a flooded unknown lane. */
export const handler = passHandler((passes) => [passes.scout, passes.sweep]);
