import { passHandler } from "./pass-handler.ts";

/** Reads the provider's lists for missed payments, and for genuine ids in a flood of unknown ones. */
export const handler = passHandler(({ lists, tidy }) => [
  [tidy],
  ...lists.flatMap(({ scout, sweep }) => [[scout], [sweep]]),
]);
