import { expect, it, vi } from "vitest";

// The pages note what a person does in the browser.
vi.stubGlobal("addEventListener", () => undefined);
const { doubtOf } = await import("../../../../src/interfaces/console/pages/api/status.ts");

it.each([
  ["for 30 s after it came", null, 30_000, null],
  ["and then no longer", null, 30_001, expect.any(String)],
  ["not when the relay cannot read it", { message: "The database is away." }, 0, "The database is away."],
])("a status is of now %s", (_name, problem, ageMs, doubt) => expect(doubtOf(problem, ageMs)).toEqual(doubt));
