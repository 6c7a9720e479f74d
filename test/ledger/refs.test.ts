import { expect, it } from "vitest";
import { KINDS } from "../../src/ledger/kinds.ts";
import { checksLength, differingColumns, hashRow } from "../../src/ledger/leaf.ts";
import { microsOf } from "../../src/ledger/moments.ts";
import { type LeafRef, nameOf, packRefs, unpackRefs } from "../../src/ledger/refs.ts";

const TIMED = "0192f3a4-5b6c-7d8e-9fa0-b1c2d3e4f506";
const RANDOM = "ffffffff-ffff-4fff-bfff-ffffffffffff";
const TEXTS = { uuid: RANDOM, number: "9007199254740991", text: "acceptance" } as const;

it("references come out of a tile as they went in: of every kind, in whatever order of time", () => {
  const times = [
    "2024-11-04T05:06:07.000001Z",
    "1969-12-31T23:59:59.999999Z",
    "2254-01-01T00:00:00Z",
    new Date(Number.parseInt(TIMED.replace("-", "").slice(0, 12), 16)).toISOString(),
  ].map(microsOf);
  const refs: LeafRef[] = times.flatMap((micros) =>
    KINDS.flatMap((kind) => {
      const checks = Buffer.from(Array.from({ length: checksLength(kind) }, (_, at) => 255 - at));
      const plain = Object.values(kind.key)
        .map((part) => TEXTS[part])
        .join("/");
      const keys = kind.timeInKey ? [plain, TIMED] : [plain];
      return keys.map((key) => ({ kind, key, micros, checks }));
    }),
  );
  const packed = packRefs(refs);
  const found = [...unpackRefs(packed)];
  expect(found.map(({ name }) => name)).toEqual(refs.map(nameOf));
  expect(found.map(({ checks }) => checks)).toEqual(refs.map(({ checks }) => checks));
  // The time that an id begins with is not told twice.
  const callbacks = refs.filter(({ micros, kind }) => kind.timeInKey && micros === times.at(-1));
  const [random, timed] = callbacks.map((one) => packRefs([one]).length);
  expect((random ?? 0) - (timed ?? 0)).toBe(6);
});

it("a changed column is named, even where its byte is the one that stood there", () => {
  const salt = Buffer.alloc(16, 7);
  const widest = Math.max(...KINDS.map(checksLength));
  for (const kind of KINDS) {
    // One in 256 has the byte that stood there: of the kind that has every place, enough are made for that.
    const tries = checksLength(kind) === widest ? 300 : 10;
    const values = Object.fromEntries(Object.keys(kind.columns).map((name) => [name, `it was ${name}`]));
    const row = { source: "default", key: "", at: "", writer: 1, values };
    const checksOf = (column: string, value: string | null) =>
      hashRow(kind, { ...row, values: { ...values, [column]: value } }, { salt }).checks;
    const kept = hashRow(kind, row, { salt }).checks;
    for (const column of Object.keys(kind.columns)) {
      if (["source", kind.time, ...Object.keys(kind.key)].includes(column)) continue;
      const named = Array.from({ length: tries }, (_, at) =>
        differingColumns(kind, kept, checksOf(column, at === 0 ? null : `it is ${at}`)),
      );
      expect(new Set(named.map((columns) => columns.join()))).toEqual(new Set([column]));
    }
  }
});
