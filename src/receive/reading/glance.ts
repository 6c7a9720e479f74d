import { uuidsIn } from "./uuid.ts";

/** How much of a body is glanced at, in bytes. */
const GLANCED_BYTES = 4_096;

/** A glance is as much a guess as a scan, so it keeps as few. */
const MOST_GLANCED = 5;

/**
 * The UUIDs that stand in the query or at the beginning of a body that nobody vouches for, so that an
 * invoice's timeline can show it: nothing is inflated or parsed for it, and nothing is asked.
 */
export function glance(query: string, body: Buffer): string[] {
  const text = `${query}\n${body.toString("latin1", 0, GLANCED_BYTES)}`;
  const found = new Set<string>();
  for (const { uuid } of uuidsIn(text)) {
    if (found.size >= MOST_GLANCED) break;
    found.add(uuid);
  }
  return [...found];
}
