import { z } from "zod";
import { DAY_MS } from "../../../kit/time.ts";

/** A time span in ms, at most 30 days. */
export const duration = z
  .int()
  .min(0)
  .max(30 * DAY_MS);

/** How often a fault strikes. */
export const times = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe("How often it strikes; until reset when left out.");
