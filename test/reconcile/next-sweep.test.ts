import { describe, expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { books } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

describe("a sweep", () => {
  it.each([
    ["of a collection that is listed no longer", "collection_id", [null]],
    ["while its source is paused", "paused_by", ["operator", "refused"]],
    ["while its source backs off", "opens_at", [null]],
  ])("that is due %s is not looked for again and again", async (_, what, by) => {
    const given = await books();
    await sweepPass(given.context, GO_ON);
    await sweepPass(given.context, GO_ON);
    if (what === "collection_id") await given.query("update sweep set collection_id = gen_random_uuid()");
    await given.query("update sweep set due_at = now() where state = 'due'");
    if (what === "opens_at") await given.query("update source set opens_at = now() + interval '1 hour'");
    for (const pausedBy of by) {
      if (pausedBy !== null)
        await given.query(`update source set paused_at = now(), paused_by = '${pausedBy}'`);
      const nextInMs = await sweepPass(given.context, GO_ON);
      expect(nextInMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(500_000);
    }
  });
});
