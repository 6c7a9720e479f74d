import fc from "fast-check";
import { expect, it } from "vitest";
import { IdSet } from "../../../src/pipeline/reconcile/list/list-reader.ts";

const ordered = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

it("ids of a reading count once each, whatever they look like", () => {
  const id = fc.oneof(fc.uuid(), fc.nat(5_000).map(ordered));
  fc.assert(
    fc.property(fc.array(id, { minLength: 100, maxLength: 5_000, size: "max" }), (ids) => {
      const set = new IdSet();
      for (const one of [...ids, ...ids]) set.add(one);
      expect(set.size).toBe(new Set(ids).size);
    }),
    { numRuns: 20 },
  );
});
