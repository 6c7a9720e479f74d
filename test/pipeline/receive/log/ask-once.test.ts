import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type CallbackRow,
  distinctRequests,
} from "../../../../src/pipeline/receive/log/append-statements.ts";
import { expectCheap } from "../../../support/expect-cheap.ts";

const row = (invoiceIds: string[], changes: Partial<CallbackRow> = {}): CallbackRow =>
  ({
    ...{ id: randomUUID(), source: "default", verdict: null, remoteAddress: null },
    ...{ invoiceIds, traceparent: null, ...changes },
  }) as CallbackRow;

const traceOf = (n: number) => `00-${n.toString(16).padStart(32, "0")}-${"1".repeat(16)}-01`;

describe("what the callbacks of one commit ask for", () => {
  it("is asked once, and traced by the first where callbacks name the same invoice of one source", () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const asked = distinctRequests([
      row([first, second], { traceparent: traceOf(1) }),
      row([first], { traceparent: traceOf(2) }),
      row([first]),
      row([first], { traceparent: traceOf(3), verdict: "refused" }),
      row([second], { source: "other", traceparent: traceOf(4) }),
    ]);
    expect(asked.map(({ invoiceId, source, traceparents }) => ({ invoiceId, source, traceparents }))).toEqual(
      [
        { invoiceId: first, source: "default", traceparents: traceOf(1) },
        { invoiceId: second, source: "default", traceparents: traceOf(1) },
        { invoiceId: second, source: "other", traceparents: traceOf(4) },
      ],
    );
  });

  it("is found in one pass over 256 callbacks of ten ids, traced or not (G12)", () => {
    const rows = Array.from({ length: 256 }, (_, n) =>
      row(
        Array.from({ length: 10 }, () => randomUUID()),
        { traceparent: traceOf(n) },
      ),
    );
    expectCheap(() => distinctRequests(rows), 1);
  });
});
