import { describe, expect, it } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import { newEvent } from "../../src/confirm/paid-event.ts";
import { confirmation, EVEN, found, ID, rules } from "./judging-fixture.ts";

const NUL = "\0";

function dataOf(changes: Record<string, unknown> = {}, given = rules, asked = {}) {
  const { event } = judge(confirmation(asked), found(changes), given, EVEN);
  return JSON.parse(event?.payload ?? "{}").data;
}

describe("the event of a paid invoice", () => {
  it("says what the provider said, word for word (G3)", () => {
    expect(dataOf()).toEqual({
      invoiceId: ID,
      reference: null,
      collectionName: "Term 1",
      title: "School fees",
      type: "Live",
      amount: "1500.50",
      serviceCharge: "10.00",
      vat: "0.75",
      totalAmount: "1511.25",
      settleableAmount: "1500.50",
      paymentMethod: "Card",
      paidAt: "2026-11-01T09:00:00.000Z",
      confirmedAt: "2026-11-01T10:00:01.000Z",
      payer: { name: "Ada Obi", email: "ada@example.com", phoneNumber: "+2348012345678" },
      biller: { name: "Hill School", address: "1 Hill Road", email: "bursar@example.com" },
      metadata: { class: "4b" },
      beneficiaries: null,
    });
  });

  it("holds beneficiaries with their amounts, and what is not said as null", () => {
    const account = `c${NUL}1`;
    const invoiceBeneficiaries = [{ linkedAccountId: account, amount: 12.5 }];
    expect(dataOf({ invoiceBeneficiaries }).beneficiaries).toEqual([
      { linkedAccountId: "c\ufffd1", amount: "12.50" },
    ]);
    expect(dataOf({ payerName: null, billerName: null })).toMatchObject({
      payer: { name: null },
      biller: { name: null },
    });
  });

  it("holds only what Postgres can keep, as does its invoice", () => {
    const names =
      "title collectionName paymentMethod serviceFeePayer payerName payerEmail payerPhoneNumber billerName billerAddress billerEmail";
    const odd = Object.fromEntries(names.split(" ").map((name) => [name, `${name}${NUL}\ud800`]));
    const billerMetaData = { [`k${NUL}`]: "v\udfff" };
    const { event, invoice } = judge(confirmation(), found({ ...odd, billerMetaData }), rules, EVEN);
    const kept = JSON.stringify([JSON.parse(event?.payload ?? ""), { ...invoice, document: null }]);
    // JSON writes either as an escape.
    expect(kept).not.toMatch(/\\u/);
    for (const name of names.split(" ")) expect(kept).toContain(`"${name}\ufffd\ufffd"`);
    expect(kept).toContain('{"k\ufffd":"v\ufffd"}');
  });

  it.each([
    ["LIVE", "Live"],
    [" test", "Test"],
  ])("of type %j says %j", (type, said) => {
    expect(dataOf({ type }).type).toBe(said);
  });

  it("continues the trace of the try that found it, and has none while tracing is off", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const eventOf = (asked: object) => judge(confirmation(asked), found(), rules, EVEN).event;
    const traced = eventOf({ traceparent });
    expect(traced?.traceparent).toBe(traceparent);
    expect(JSON.parse(traced?.payload ?? "{}").traceparent).toBe(traceparent);
    expect(eventOf({})?.traceparent).toBeNull();
  });

  it("names nobody where it may not", () => {
    for (const data of [dataOf({}, { ...rules, personalData: "none" }), dataOf({}, rules, { erased: true })])
      expect(data).toMatchObject({ payer: null, biller: null });
    expect(dataOf({}, rules, { erased: true }).metadata).toEqual({});
    expect(dataOf({}, { ...rules, personalData: "none" }).metadata).toEqual({ class: "4b" });
  });
});

describe("an event's size", () => {
  const MOST = 262_144 - 2_048;
  const sized = (bytes: number, character = "x", collectionName: string | null = null) => {
    const empty = JSON.stringify({ id: "i", type: "t", data: { text: "" } }).length;
    const text = character.repeat((bytes - empty) / Buffer.byteLength(character));
    const event = { id: "i", type: "t", data: { text } };
    return newEvent(event, { truncated: true }, "Live", { collectionName }, rules);
  };

  it("is what SNS takes, in bytes, to the last one", () => {
    expect(sized(MOST)).toMatchObject({ truncated: false });
    expect(sized(MOST + 1)).toMatchObject({ truncated: true });
    expect(JSON.parse(sized(MOST + 1).payload)).toEqual({ id: "i", type: "t", data: { truncated: true } });
    expect(sized(MOST - 100, "é").truncated).toBe(false);
    expect(sized(MOST + 100, "é").truncated).toBe(true);
    expect(sized(1_000).truncated).toBe(false);
    // It is an attribute of the message as well.
    const name = "ü".repeat(1_500);
    expect(sized(MOST - 3_000, "x", name).truncated).toBe(false);
    expect(sized(MOST - 2_999, "x", name).truncated).toBe(true);
  });
});
