import type { Pass } from "../app/pass.ts";
import { passHandler } from "./pass-handler.ts";

let tidiesAt = Number.NEGATIVE_INFINITY;

/** Lines look again each second while another works; this one need not. */
const atItsPace =
  (tidy: Pass): Pass =>
  async (stop) => {
    if (performance.now() >= tidiesAt) tidiesAt = performance.now() + ((await tidy(stop)) ?? 0);
    return null;
  };

/** Reads the provider's lists for missed payments, and for genuine ids in a flood of unknown ones. */
export const handler = passHandler(({ lists, tidy }) => [
  [atItsPace(tidy)],
  ...lists.flatMap(({ scout, sweep }) => [[scout], [sweep]]),
]);
