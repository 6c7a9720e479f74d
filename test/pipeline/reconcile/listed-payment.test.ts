import { describe, expect, it } from "vitest";
import {
  decideAsking,
  listedPayment,
  mayBePaid,
} from "../../../src/pipeline/reconcile/list/listed-payment.ts";
import { NIL_UUID } from "../../../src/platform/values/ids.ts";
import type { ListedInvoice } from "../../../src/provider/collection-api/index.ts";

const ID = "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b";

const listed = (changes: Partial<ListedInvoice> = {}): ListedInvoice => ({
  ...{ id: ID, title: "School fees", amount: "10.00" as ListedInvoice["amount"], status: "Paid" },
  ...{ payerName: null, payerEmail: null, dateCreated: "2026-10-01T08:00:00" },
  ...{ datePaid: "2026-10-02T08:00:00Z", ...changes },
});

const OF_ALL = { status: null };
const sets = { paidStatuses: new Set(["paid"]), invalidStatuses: new Set(["invalidated", "expired"]) };
const TERMS = { ...sets, timeZone: "UTC" };
const IN_LAGOS = { ...sets, timeZone: "Africa/Lagos" };

describe("a payment as the list shows it", () => {
  it("has its dates in UTC, and says what was asked for", () => {
    expect(listedPayment(listed(), { status: "Paid" }, IN_LAGOS)).toEqual({
      ...{ invoiceId: ID, amount: "10.00", label: "Paid", saysPaid: true, digest: expect.any(String) },
      ...{ paidAt: new Date("2026-10-02T08:00:00Z"), createdAt: new Date("2026-10-01T07:00:00Z") },
      ...{ paidUntil: null, isFiltered: true },
    });
  });

  it("has its id in lower case", () => {
    expect(listedPayment(listed({ id: ID.toUpperCase() }), OF_ALL, TERMS)?.invoiceId).toBe(ID);
  });

  it.each([
    [null, null],
    ["  ", null],
    [" Paid ", "Paid"],
  ])("with the status %j has the label %j", (status, kept) => {
    expect(listedPayment(listed({ status }), OF_ALL, TERMS)?.label).toBe(kept);
  });

  it.each(["", "42", NIL_UUID, `${ID}0`, `x${ID}`, ID.replaceAll("-", "")])(
    "with the id %j is none",
    (id) => {
      expect(listedPayment(listed({ id }), OF_ALL, TERMS)).toBeNull();
    },
  );
});

describe("what a listed item obliges to", () => {
  it.each<[boolean, Partial<ListedInvoice>, string | null]>([
    [false, { status: " UNPAID ", datePaid: null }, null],
    [false, { status: "Expired", datePaid: " 0001-01-01T00:00:00" }, null],
    [false, { status: null, datePaid: null }, "Unpaid"],
    [true, { status: "Unpaid", datePaid: "2199-01-01" }, null],
    [true, { status: "Unpaid", datePaid: "soon" }, null],
    [true, { status: "Unpaid", datePaid: null }, "Paid"],
    [true, { status: "Settled", datePaid: null }, null],
    [true, { status: "", datePaid: null }, null],
    [true, { status: null, datePaid: null }, null],
  ])("may be paid is %s of %j in the list of %j", (may, item, filter) => {
    expect(mayBePaid(listed(item), filter, TERMS)).toBe(may);
  });

  it.each([
    ["confirmed", { saysPaid: true, digest: "new" }, { isPaid: true, digest: null }],
    ["ask", { saysPaid: false, digest: "new" }, { isPaid: true, digest: null }],
    ["ask", { saysPaid: false, digest: "new" }, { isPaid: true, digest: "old" }],
    ["confirmed", { saysPaid: false, digest: "new" }, { isPaid: true, digest: "new" }],
    ["ask", { saysPaid: true, digest: "new" }, { isPaid: false, digest: null }],
    ["unchanged", { saysPaid: true, digest: "new" }, { isPaid: false, digest: "new" }],
    ["ask", { saysPaid: true, digest: null }, { isPaid: false, digest: null }],
  ])("is %s for %j where %j is known", (asking, item, heard) => {
    expect(decideAsking(item, heard)).toBe(asking);
  });

  it("is known by whatever the list says of it", () => {
    const digest = (changes: Partial<ListedInvoice>) => listedPayment(listed(changes), OF_ALL, TERMS)?.digest;
    const all = [{}, { status: "Settled" }, { datePaid: null }, { amount: null }].map(digest);
    expect(new Set(all).size).toBe(4);
    expect(digest({})).toBe(all[0]);
  });

  it("may be of any moment of a day without a time", () => {
    expect(listedPayment(listed({ datePaid: "2026-10-02" }), OF_ALL, IN_LAGOS)).toMatchObject({
      paidAt: new Date("2026-10-01T23:00:00Z"),
      paidUntil: new Date("2026-10-02T22:59:59.999Z"),
    });
  });
});
