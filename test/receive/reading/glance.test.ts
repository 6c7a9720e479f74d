import { expect, it } from "vitest";
import { glance } from "../../../src/receive/reading/glance.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;

it("sees the UUIDs of the query, then those of the body", () => {
  expect(glance(`id=${id(1)}`, Buffer.from(`{"id":"${id(2)}"}`))).toEqual([id(1), id(2)]);
});

it("does not run the end of the query into the beginning of the body", () => {
  expect(glance(id(1), Buffer.from(id(2)))).toEqual([id(1), id(2)]);
});

it("sees them among bytes that are no text", () => {
  expect(glance("", Buffer.concat([Buffer.of(0xff, 0xfe, 0), Buffer.from(id(1)), Buffer.of(0x80)]))).toEqual([
    id(1),
  ]);
});

it("sees nothing where there is none", () => {
  expect(glance("", Buffer.from(""))).toEqual([]);
});

it("stops at five, the same one counted once", () => {
  const ids = [1, 1, 2, 3, 4, 5, 6].map(id);
  expect(glance("", Buffer.from(ids.join(" ")))).toEqual([1, 2, 3, 4, 5].map(id));
});

it("looks at the first 4,096 bytes of a body", () => {
  const until = (length: number) => Buffer.from(`${" ".repeat(length - id(1).length)}${id(1)} ${id(2)}`);
  expect(glance("", until(4_096))).toEqual([id(1)]);
  expect(glance("", until(4_097))).toEqual([]);
});
