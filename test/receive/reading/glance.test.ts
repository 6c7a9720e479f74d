import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { readCallback } from "../../../src/receive/reading/read-callback.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;

const glance = (query: string, body: Buffer, contentEncoding: string | null = null) =>
  readCallback({
    ...{ method: "POST", reference: null, contentType: null },
    ...{ query, body, contentEncoding, isRefused: true },
  });

const named = (query: string, body: Buffer, contentEncoding: string | null = null): string[] => {
  const reading = glance(query, body, contentEncoding);
  if (reading.kind === "too_large") return [];
  return [...(reading.kind === "ids" ? reading.invoiceIds : []), ...(reading.alsoNamed ?? [])];
};

it("sees the UUIDs of the query, then those of the body", () => {
  expect(named(`id=${id(1)}`, Buffer.from(`{"id":"${id(2)}"}`))).toEqual([id(1), id(2)]);
});

it("does not run the end of the query into the beginning of the body", () => {
  expect(named(id(1), Buffer.from(id(2)))).toEqual([id(1), id(2)]);
});

it("sees them among bytes that are no text", () => {
  const body = Buffer.concat([Buffer.of(0xff, 0xfe, 0), Buffer.from(id(1)), Buffer.of(0x80)]);
  expect(named("", body)).toEqual([id(1)]);
});

it("sees nothing where there is none", () => {
  expect(named("", Buffer.from(""))).toEqual([]);
});

it("sees each of them once, wherever it stands, in UTF-16 and compressed too", () => {
  const text = `${id(1)} ${id(1)} ${" ".repeat(120_000)}${id(2)}`;
  for (const body of [Buffer.from(text), Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()])
    expect(named("", body)).toEqual([id(1), id(2)]);
  expect(named("", gzipSync(text), "gzip")).toEqual([id(1), id(2)]);
});

it("keeps five for the timeline, and none of what was compressed", () => {
  const zipped = gzipSync(id(1));
  expect(glance("", zipped)).toMatchObject({
    kind: "unreadable",
    alsoNamed: [id(1)],
  });
  const body = Buffer.from([1, 1, 2, 3, 4, 5, 6].map(id).join(" "));
  expect(glance("", body)).toMatchObject({
    invoiceIds: [1, 2, 3, 4, 5].map(id),
    alsoNamed: [id(6)],
  });
});
