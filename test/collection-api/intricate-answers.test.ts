import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { judgeAnswer } from "../../src/collection-api/judge-answer.ts";
import { leastCpuMs } from "../support/least-cpu-ms.ts";

const MIB = 1024 ** 2;
const MOST_MS = 50;

const judge = (text: string, status = 200) =>
  judgeAnswer({ status, headers: {}, text }, z.unknown(), new Date());

const success = (data: string) => `{"status":200,"message":"Invoice retrieved","data":${data}}`;

describe("an answer of the provider that is too intricate", () => {
  it.each([
    ["nested", success(`${"[".repeat(100)}${"]".repeat(100)}`)],
    ["nested and never closed", "[".repeat(100_000)],
    ["of pieces", success(`[${"1,".repeat(50_000)}1]`)],
  ])("%s, is outside the contract, kept as evidence", (_how, text) => {
    expect(judge(text)).toMatchObject({ kind: "outside_contract", evidence: text });
  });

  it("says what its status says, where that is a fault", () => {
    expect(judge("[".repeat(1_000), 503)).toMatchObject({ kind: "server_fault" });
    expect(judge(",".repeat(50_000), 429)).toMatchObject({ kind: "rate_limited" });
  });

  it("is not a page of a thousand invoices", () => {
    const item = `{"id":"x","title":"a, b","amount":1500.50,"status":"Paid","payerName":"{[","payerEmail":null,"dateCreated":"d","datePaid":null}`;
    const items = Array.from({ length: 1_000 }, () => item).join(",\n");
    const text = success(`{"items":[${items}],"page":1,"pageSize":1000,"totalCount":1000}`);
    expect(judge(text)).toMatchObject({ message: "Invoice retrieved" });
  });
});

describe("a MiB of anything from the provider takes less than 50 ms of the event loop (G12)", () => {
  const pieces = [
    "[",
    '{"a":',
    "1,",
    "1.0,1,",
    "1.50,",
    "1e5,",
    "-",
    "0.",
    '"',
    '\\"',
    " ",
    ",",
    "[1],",
    '"a":1,',
    "}",
  ];
  const unit = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 });

  it.each([
    ["as it is", (text: string) => text],
    ["in an array", (text: string) => `[${text}1]`],
    ["in an envelope", (text: string) => success(`[${text}1]`)],
  ])("%s", (_where, dress) => {
    fc.assert(
      fc.property(unit, (repeated) => {
        const one = repeated.join("");
        const text = dress(one.repeat(MIB / one.length - 100));
        expect(leastCpuMs(() => judge(text), MOST_MS)).toBeLessThan(MOST_MS);
      }),
      { numRuns: 60, endOnFailure: true, examples: pieces.map((piece) => [[piece]]) },
    );
  });

  it("as close to the limits as it can be", () => {
    const numbers = Array.from({ length: 39_000 }, (_, n) => `${n}.50`).join(",");
    const keys = Array.from({ length: 39_000 }, (_, n) => `"${n.toString(36)}":1.0`).join(",");
    const filled = (text: string) => text.padEnd(MIB - 100, " ");
    for (const data of [`[${numbers}]`, `{${keys}}`, `[${"1.0,1,".repeat(19_000)}1]`])
      expect(leastCpuMs(() => judge(success(filled(data))), MOST_MS)).toBeLessThan(MOST_MS);
  });
});
