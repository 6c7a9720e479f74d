import { describe, expect, it } from "vitest";
import { makeInvoiceRow } from "../../../src/pipeline/confirm/invoices/confirmed-invoice.ts";
import { type Asked, confirmation, found, known } from "./deciding-fixture.ts";

const rowOf = (asked: Asked, changes: Record<string, unknown> = {}, zone = "UTC") =>
  makeInvoiceRow(confirmation(asked), found(changes), zone, { paidFirst: false });
const CHANGED = Date.parse("2026-11-01T09:00:00Z");
const ASKED = Date.parse("2026-11-01T10:00:00Z");
const dated = (ms: number | null) => ({ known: known({ modifiedAt: ms === null ? null : new Date(ms) }) });

describe("the row of a confirmed invoice", () => {
  it.each<[string, Asked, Record<string, unknown>, boolean]>([
    ["nothing is known", {}, {}, true],
    ["it is dated later", dated(CHANGED - 1), {}, true],
    ["it is dated alike: the GET begun later counts", dated(CHANGED), {}, true],
    ["it is dated earlier", dated(CHANGED + 1), {}, false],
    ["it is undated", dated(CHANGED), { dateModified: null }, true],
    ["what is known is undated", dated(null), {}, true],
    ["what is known is dated two days ahead", dated(ASKED + 2 * 86_400_000), {}, false],
    ["what is known has a date that is yet to come", dated(ASKED + 2 * 86_400_000 + 1), {}, true],
  ])("is the newest or not when %s (G6)", (_, asked, changes, newest) => {
    const { row, isOld } = rowOf(asked, changes);
    expect([row.newest, isOld]).toEqual([newest, !newest]);
  });

  it("differs only where the document does", () => {
    const { digest } = rowOf({}).row;
    expect(rowOf({ known: known({ digest }) }).row.differs).toBe(false);
    expect(rowOf({ known: known({ digest }) }, { title: "Another" }).row.differs).toBe(true);
  });

  it.each([
    [null, null],
    ["https://relay.example.com/callbacks/token", null],
    ["https://relay.example.com/callbacks/token/order%2042?x=1", "order 42"],
    ["https://relay.example.com/Callbacks/token/%E0%A4/a%20b%01", "%E0%A4/a b\uFFFD"],
  ])("has the reference of %j, and no token", (url, reference) => {
    const { row } = rowOf({}, { callBackUrl: url });
    expect(row.reference).toEqual(reference);
    expect(row.document).not.toContain("/token");
  });

  it("has times without a zone in the provider's", () => {
    const { row } = rowOf({}, { paymentDate: "2026-11-01T09:00:00" }, "Africa/Lagos");
    expect(row.paidAt).toEqual(new Date("2026-11-01T08:00:00Z"));
  });
});
