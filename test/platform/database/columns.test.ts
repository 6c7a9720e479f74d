import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import {
  bytea,
  type Columns,
  boolean as flag,
  float,
  integer,
  json,
  numeric,
  tableOf,
  text,
  time,
  uuid,
} from "../../../src/platform/database/statement.ts";
import { isRefusedData } from "../../../src/platform/errors/postgres-errors.ts";
import { anyText } from "../../support/any-text.ts";
import { ownDatabase } from "../../support/database.ts";

interface Row {
  id: string | null;
  word: string | null;
  amount: string | null;
  document: string | null;
  bytes: Buffer | null;
  count: number | null;
  share: number | null;
  sure: boolean | null;
  at: Date | null;
}

const COLUMNS: Columns<Row> = {
  id: uuid((row) => row.id),
  word: text((row) => row.word),
  amount: numeric((row) => row.amount),
  document: json((row) => row.document),
  bytes: bytea((row) => row.bytes),
  count: integer((row) => row.count),
  share: float((row) => row.share),
  sure: flag((row) => row.sure),
  at: time((row) => row.at),
};

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 5 });
const whole = anyText({ maxLength: 300 }).map((word) => word.toWellFormed().replaceAll("\0", ""));
const rows = fc.array(
  fc.record<Row>({
    id: maybe(fc.uuid()),
    word: maybe(whole),
    amount: maybe(fc.tuple(fc.bigInt(), fc.nat(99)).map(([a, b]) => `${a}.${String(b).padStart(2, "0")}`)),
    document: maybe(fc.json()),
    bytes: maybe(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))),
    count: maybe(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    share: maybe(fc.double({ noNaN: true })),
    sure: maybe(fc.boolean()),
    at: maybe(fc.date({ min: new Date("1970-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })),
  }),
  { maxLength: 20 },
);

/** Sends the rows to Postgres and reads them again. */
async function sending() {
  const { db } = await ownDatabase({ max: 1 });
  return async (given: readonly Row[]) => {
    const statement = sql<Row>`
      select id, word, amount, document::text, bytes, count, share, sure, at from ${tableOf("given", COLUMNS, given)}`;
    return (await statement.execute(db)).rows;
  };
}

const EMPTY: Row = {
  ...{ id: null, word: null, amount: null, document: null, bytes: null },
  ...{ count: null, share: null, sure: null, at: null },
};

describe("a batch as columns", () => {
  it("arrives as it was sent: every type, nothing, an empty batch, any text and bytes", async () => {
    const sent = await sending();
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        expect(await sent(given)).toEqual(given);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps every digit of an amount, JSON as it was written, and makes lone surrogates U+FFFD", async () => {
    const sent = await sending();
    const given = { ...EMPTY, amount: "9007199254740993.10", document: '{"b":1.50,"a":[ 1e2 ],"b":2}' };
    expect(await sent([{ ...given, word: "a\uD800b" }])).toEqual([{ ...given, word: "a\uFFFDb" }]);
  });

  it.each<Partial<Row>>([
    { id: "7b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c1x" },
    { id: "７b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c11" },
    { word: "a\0b" },
    { amount: "much" },
    { document: "{" },
  ])("refuses %j as data, so that its neighbours can be written without it", async (row) => {
    const sent = await sending();
    const error = await sent([EMPTY, { ...EMPTY, ...row }]).catch((error: unknown) => error);
    expect(isRefusedData(error)).toBe(true);
  });
});
