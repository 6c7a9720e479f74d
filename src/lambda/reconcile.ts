import { passDoor } from "./pass-receiver.ts";

/** Reads the provider's lists for what callbacks missed, and for genuine ids in a flooded unknown lane. */
export const handler = passDoor((passes) => [passes.scout, passes.sweep]);
