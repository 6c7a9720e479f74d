import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { invoicePageRead, invoiceRead } from "../../src/collection-api/contract/index.ts";
import { judgeAnswer } from "../../src/collection-api/judge-answer.ts";
import { expectCheap, printDearest } from "../support/expect-cheap.ts";

const MIB = 1024 ** 2;
/** In times what a plain MiB costs: 50 ms on a machine where that takes 14 (G12). */
const MOST = 3;

printDearest();

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

  it("only in a field of its data, is read without that field, which says what was left out", () => {
    const deep = `${'{"a":'.repeat(3_000)}"]}\\""${"}".repeat(3_000)}`;
    const many = `[${"1,".repeat(50_000)}1]`;
    for (const field of [deep, many]) {
      const data = `{"id":"x","status":"Paid","amount":1.10,"billerMetaData":${field},"vat":[{"a":1}],"more":"{["}`;
      const answer = judgeAnswer({ status: 200, headers: {}, text: success(data) }, invoiceRead, new Date());
      const said = `${field.length} characters, SHA-256 ${hash("sha256", field)}`;
      expect(answer).toMatchObject({
        data: { id: "x", amount: "1.10", billerMetaData: {} },
        document: { billerMetaData: expect.stringContaining(said), vat: [{ a: 1 }], more: "{[" },
        leftOut: true,
        text: success(data),
      });
    }
  });

  it("is not a page of a thousand invoices", () => {
    const item = `{"id":"x","title":"a, b","amount":1500.50,"status":"Paid","payerName":"{[","payerEmail":null,"dateCreated":"d","datePaid":null}`;
    const items = Array.from({ length: 1_000 }, () => item).join(",\n");
    const text = success(`{"items":[${items}],"page":1,"pageSize":1000,"totalCount":1000}`);
    expect(text.split(/[,[{]/).length).toBeLessThan(20_000);
    expect(judge(text)).toMatchObject({ message: "Invoice retrieved" });
  });
});

describe("a MiB of anything from the provider costs a few times what a plain one does (G12)", () => {
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
        expectCheap(() => judge(text), MOST);
      }),
      { numRuns: 60, endOnFailure: true, examples: pieces.map((piece) => [[piece]]) },
    );
  });

  const joined = (length: number, one: (n: number) => string) =>
    Array.from({ length }, (_, n) => one(n)).join();
  // Just under the limit, and what was under it before.
  describe.each([19_900, 39_000])("%d pieces, as close to the limits as it can be", (most) => {
    it.each([
      ["amounts", `[${joined(most, (n) => `${n}.50`)}]`],
      ["amounts that all end in a nought", `[${joined(most, (n) => `${n}.10`)}]`],
      ["names", `{${joined(most, (n) => `"${n.toString(36)}":1.0`)}}`],
      ["names and amounts", `{${joined(most, (n) => `"${n.toString(36)}":${n}.10`)}}`],
      ["one amount in two ways", `[${"1.0,1,".repeat(most / 2)}1]`],
      ["all amounts in two ways", `[${joined(most / 2, (n) => `${n}.5,${n}.50`)}]`],
      ["two ways at the end", `[${joined(most - 3, (n) => `${n}.50`)},1,1.0]`],
      ["what stands for a number", `[${joined(most - 3, (n) => `${n}.50`)},"\\u0091"]`],
      ["numbers between two doubles", `[${joined(most, (n) => `9007199254740993${n}e-300`)}]`],
    ])("%s", (_what, data) => {
      const text = success(data.padEnd(MIB - 100, " "));
      expectCheap(() => judge(text), MOST);
    });

    it.each([
      ["a page of numbers", invoicePageRead, `{"items":[${joined(most, () => "0")}]}`],
      ["a page of amounts", invoicePageRead, `{"items":[${joined(most, (n) => `${n}.10`)}]}`],
      ["a page of nothing", invoicePageRead, `{"items":[${joined(most / 2, () => "{}")}]}`],
      [
        "metadata",
        invoiceRead,
        `{"id":"x","status":"Paid","amount":1,"billerMetaData":{${joined(most - 9, (n) => `"${n}a":${n}.10`)}}}`,
      ],
      [
        "beneficiaries that are none",
        invoiceRead,
        `{"id":"x","status":"Paid","amount":1,"invoiceBeneficiaries":[${joined(most - 9, () => "0")}]}`,
      ],
    ])("%s, by its schema", (_what, schema, data) => {
      const answer = { status: 200, headers: {}, text: success(data) };
      const work = () => judgeAnswer<unknown>(answer, schema, new Date());
      expectCheap(work, MOST);
    });

    it.each([
      ["a message", `{"status":404,"message":"${"a1".repeat(520_000)}"}`],
      [
        "errors",
        `{"status":404,"message":"m","errors":[${joined(most - 9, () => '"a1b2c3d4e5f6g7h8i9j0"')}]}`,
      ],
    ])("%s of a refusal", (_what, text) => {
      expectCheap(() => judge(text, 404), MOST);
    });
  });
});
