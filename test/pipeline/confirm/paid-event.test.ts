import { expect, it } from "vitest";
import { newEvent } from "../../../src/pipeline/confirm/paid-event.ts";
import { type Asked, decided, type Found, found, ID, rules } from "./deciding-fixture.ts";

const NUL = "\0";

const payloadOf = (answer: Found, given = {}, asked: Asked = {}) =>
  JSON.parse(decided(asked, answer, given).event?.payload ?? "{}");
const dataOf = (changes: Record<string, unknown> = {}, given = {}, asked: Asked = {}) =>
  payloadOf(found(changes), given, asked).data;

it("the event of a paid invoice says what the provider said, word for word (G3)", () => {
  expect(dataOf()).toEqual({
    ...{ invoiceId: ID, reference: null, collectionName: "Term 1", title: "School fees", type: "Live" },
    ...{ amount: "1500.50", serviceCharge: "10.00", vat: "0.75", totalAmount: "1511.25" },
    ...{ settleableAmount: "1500.50", paymentMethod: "Card", beneficiaries: null },
    ...{ paidAt: "2026-11-01T09:00:00.000Z", confirmedAt: "2026-11-01T10:00:01.000Z" },
    payer: { name: "Ada Obi", email: "ada@example.com", phoneNumber: "+2348012345678" },
    biller: { name: "Hill School", address: "1 Hill Road", email: "bursar@example.com" },
    metadata: { class: "4b" },
  });
});

it.each<[string, Record<string, unknown>, object]>([
  ["every digit of an amount", { amount: "9007199254740993.25" }, { amount: "9007199254740993.25" }],
  [
    "beneficiaries",
    { invoiceBeneficiaries: [{ linkedAccountId: `c${NUL}`, amount: 12.5 }] },
    { beneficiaries: [{ linkedAccountId: "c\ufffd", amount: "12.50" }] },
  ],
  ["a type in our own spelling", { type: " test" }, { type: "Test" }],
  [
    "a reference without end, whole",
    { callBackUrl: `https://r.example.com/callbacks/t/${"x".repeat(9_000)}` },
    { reference: "x".repeat(9_000) },
  ],
])("it holds %s", (_, changes, data) => {
  expect(dataOf(changes)).toMatchObject(data);
});

it("without a time of payment its time is the confirmation's, and paidAt is null", () => {
  const at = "2026-11-01T10:00:01.000Z";
  expect(payloadOf(found({ paymentDate: "" }))).toMatchObject({
    time: at,
    data: { paidAt: null, confirmedAt: at },
  });
});

it("holds only what Postgres can keep and SNS takes, as does its invoice", () => {
  const names =
    "title collectionName paymentMethod serviceFeePayer payerName payerEmail payerPhoneNumber billerName billerAddress billerEmail";
  const odd = Object.fromEntries(names.split(" ").map((name) => [name, `${name}${NUL}\u0001\ud800\ufffe`]));
  const { event, invoice } = decided({}, found({ ...odd, billerMetaData: { [`k${NUL}`]: "v\udfff" } }));
  const kept = JSON.stringify([JSON.parse(event?.payload ?? ""), { ...invoice, document: null }]);
  // JSON writes either as an escape.
  expect(kept).not.toMatch(/\\u/);
  for (const name of names.split(" ")) expect(kept).toContain(`"${name}${"\ufffd".repeat(4)}"`);
  expect(kept).toContain('{"k\ufffd":"v\ufffd"}');
});

it("continues the trace of the try that found it, and has none while tracing is off", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const { event } = decided({ traceparent }, found());
  expect([event?.traceparent, JSON.parse(event?.payload ?? "{}").traceparent]).toEqual([
    traceparent,
    traceparent,
  ]);
  expect(decided({}, found()).event?.traceparent).toBeNull();
});

it("names nobody where it may not", () => {
  const nobody = { payer: null, biller: null };
  expect(dataOf({}, { personalData: "none" })).toMatchObject({ ...nobody, metadata: { class: "4b" } });
  expect(dataOf({}, {}, { erased: true })).toMatchObject({ ...nobody, metadata: {} });
});

it.each<[string, Found]>([
  ["too large for SNS", found({ billerMetaData: { note: "x".repeat(300_000) } })],
  ["too intricate to be read", { ...found(), leftOut: true }],
])("goes without metadata and beneficiaries where they are %s", (_, answer) => {
  expect(payloadOf(answer).data).toMatchObject({ metadata: {}, beneficiaries: null, truncated: true });
});

it("is as large as SNS takes, in bytes, to the last one", () => {
  const MOST = 262_144 - 2_048;
  const sized = (bytes: number, character = "x", collectionName: string | null = null) => {
    const empty = JSON.stringify({ id: "i", type: "t", data: { text: "" } }).length;
    const text = character.repeat((bytes - empty) / Buffer.byteLength(character));
    const event = { id: "i", type: "t", data: { text } };
    return newEvent(event, { truncated: true }, "Live", { collectionName }, rules);
  };
  expect(sized(MOST).truncated).toBe(false);
  expect(sized(MOST + 1).truncated).toBe(true);
  expect(JSON.parse(sized(MOST + 1).payload)).toEqual({ id: "i", type: "t", data: { truncated: true } });
  expect([sized(MOST - 100, "é").truncated, sized(MOST + 100, "é").truncated]).toEqual([false, true]);
  // It is an attribute of the message as well.
  const name = "ü".repeat(1_500);
  expect([sized(MOST - 3_000, "x", name).truncated, sized(MOST - 2_999, "x", name).truncated]).toEqual([
    false,
    true,
  ]);
});
