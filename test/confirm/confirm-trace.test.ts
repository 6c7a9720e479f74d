import { describe, expect, it } from "vitest";
import { endAsking, endStoring } from "../../src/confirm/confirm-line.ts";
import { judge } from "../../src/confirm/judge.ts";
import type { Span, SpanAttributes } from "../../src/kit/trace.ts";
import type { Answer } from "../../src/provider/provider.ts";
import { confirmation, EVEN, found, rules, unpaid } from "./judging-fixture.ts";

/** Notes what of a span is set, and how it ends. */
function traced() {
  const set: SpanAttributes[] = [];
  const ended: (string | undefined)[] = [];
  const span: Span = {
    traceparent: "",
    set: (attributes) => void set.push(attributes),
    end: (failure) => void ended.push(failure),
  };
  return { ended, set, span };
}

describe("how the request to the provider ended", () => {
  const fault: Answer = { kind: "fault", error: "timeout" };
  const notFound: Answer = { kind: "not_found", inOwnWords: true, error: "no such id" };
  it.each<[string, Answer, number | null, string | undefined]>([
    ["found", found(), 200, undefined],
    ["a 404 is a failure of the request, as HTTP has it", notFound, 404, "404"],
    ["not found, under another status, is an answer", notFound, 200, undefined],
    ["the first status that is a failure", fault, 400, "400"],
    ["the last status that is none", fault, 399, "fault"],
    ["a server's fault", fault, 503, "503"],
    ["no answer", fault, null, "fault"],
    [
      "an answer that cannot be used",
      { kind: "outside_contract", error: "", evidence: "" },
      200,
      "outside_contract",
    ],
  ])("%s", (_, answer, status, failure) => {
    const { ended, set, span } = traced();
    endAsking(span, answer, status);
    expect(set).toEqual([
      { "invoice_relay.outcome": answer.kind, "http.response.status_code": status ?? undefined },
    ]);
    expect(ended).toEqual([failure]);
  });
});

it("the commit says what became of the confirmation, and which event it has", () => {
  const { ended, set, span } = traced();
  const paid = judge(confirmation(), found(), rules, EVEN);
  endStoring(span, paid);
  endStoring(span, judge(confirmation(), { kind: "fault", error: "timeout" }, rules, EVEN));
  endStoring(span, judge(confirmation(), unpaid(), rules, EVEN));
  const said = (state: string, verdict?: string, id?: string) => ({
    "invoice_relay.state": state,
    "invoice_relay.verdict": verdict,
    "invoice_relay.event.id": id,
  });
  expect(paid.event).not.toBeNull();
  expect(set).toEqual([said("done", "paid", paid.event?.id), said("due"), said("due", "pending")]);
  expect(ended).toEqual([undefined, undefined, undefined]);
});
