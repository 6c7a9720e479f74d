import { describe, expect, it } from "vitest";
import type { ListedInvoice } from "../../src/collection-api/index.ts";
import { NIL_UUID } from "../../src/kit/uuid.ts";
import type { NotFound, Refusal } from "../../src/provider/answer.ts";
import { ListUnreadable } from "../../src/reconcile/list/list-unreadable.ts";
import { ALL_TYPES, EACH_TYPE, listedPayment, plain } from "../../src/reconcile/list/listed-payment.ts";

const ID = "0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b";

const listed = (changes: Partial<ListedInvoice> = {}): ListedInvoice => ({
  id: ID,
  title: "School fees",
  amount: "10.00" as ListedInvoice["amount"],
  status: "Paid",
  payerName: null,
  payerEmail: null,
  dateCreated: "2026-10-01T08:00:00",
  datePaid: "2026-10-02T08:00:00Z",
  ...changes,
});

describe("a payment as the list shows it", () => {
  it("has its dates in UTC, and says what was asked for", () => {
    expect(listedPayment(listed(), "Live", "Africa/Lagos")).toEqual({
      invoiceId: ID,
      paidAt: new Date("2026-10-02T08:00:00Z"),
      createdAt: new Date("2026-10-01T07:00:00Z"),
      amount: "10.00",
      status: "Paid",
      asked: "Live",
    });
  });

  it("has its id in lower case", () => {
    expect(listedPayment(listed({ id: ID.toUpperCase() }), null, "UTC")?.invoiceId).toBe(ID);
  });

  it.each([
    [null, null],
    ["  ", null],
    [" Paid ", "Paid"],
  ])("with the status %j has the status %j", (status, kept) => {
    expect(listedPayment(listed({ status }), null, "UTC")?.status).toBe(kept);
  });

  it.each(["", "42", NIL_UUID, `${ID}0`, `x${ID}`, ID.replaceAll("-", "")])(
    "with the id %j is none",
    (id) => {
      expect(listedPayment(listed({ id }), null, "UTC")).toBeNull();
    },
  );

  it("is found by asking for all types, and its type by asking for each", () => {
    expect([...ALL_TYPES]).toEqual([null, "Test"]);
    expect([...EACH_TYPE]).toEqual([null, "Live", "Test"]);
    expect(plain(" PAID ")).toBe("paid");
  });
});

describe("a list that cannot be read", () => {
  const error = "it said no";
  it.each<[Refusal | NotFound, string, string, string]>([
    [{ kind: "rate_limited", retryAfterMs: null, error }, "retry", "provider_away", error],
    [{ kind: "fault", error }, "retry", "provider_away", error],
    [{ kind: "interrupted" }, "retry", "provider_away", "stopped"],
    [{ kind: "key_refused", error }, "pause", "failed", error],
    [{ kind: "outside_contract", error, evidence: "" }, "refuse", "failed", error],
    [{ kind: "not_found", inOwnWords: true, error }, "refuse", "failed", error],
  ])("%j says what to do", (refusal, next, code, why) => {
    expect(new ListUnreadable("the list", refusal)).toMatchObject({
      message: `the list: ${why}`,
      next,
      code,
      refusal,
    });
  });
});
