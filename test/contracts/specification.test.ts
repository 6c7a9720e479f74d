import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { banks, errors, evidence, filters, requests, states } from "./specification/behaviour.ts";
import { type SpecifiedEnvironment, startSpecifiedEnvironment } from "./specification/environment.ts";
import { envelope, operations } from "./specification/operations.ts";
import { collection, invoice, items } from "./specification/resources.ts";

// Every sentence of the interface's specification that can be true or false of the collection service, as a
// check of its own that is named after it. Nothing of our contract is used: what is expected is typed from
// the specification.

describe("the specification, sentence by sentence", () => {
  let environment: SpecifiedEnvironment;
  beforeAll(async () => {
    environment = await startSpecifiedEnvironment();
  });
  afterAll(() => environment?.close());

  const all = [
    ...envelope,
    ...operations,
    ...filters,
    ...banks,
    ...collection,
    ...invoice,
    ...items,
    ...requests,
    ...states,
    ...errors,
    ...evidence,
  ];

  it("has a check of its own for each", () => {
    expect(new Set(all.map(([sentence]) => sentence)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(165);
  });

  it.each(all)("%s", async (_, check) => {
    await check(environment);
  });
});
