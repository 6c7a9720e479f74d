import { readStatus } from "../../src/operations/status-facts.ts";
import { withDatabase } from "../support/log-rows.ts";

/** What a relay runs in, and what its status says, of settings that name no source unless given. */
export async function withStatus() {
  const { harness, db } = await withDatabase();
  const status = (settings: Partial<Parameters<typeof readStatus>[1]> = {}) =>
    readStatus(db, { sources: null, intervalMs: 86_400_000, ...settings });
  return { harness, db, query: harness.query, status };
}
