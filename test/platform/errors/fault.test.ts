import { describe, expect, it } from "vitest";
import { faultOf, noteWork, RelayError } from "../../../src/platform/errors/errors.ts";

/** Thrown by the language itself, as a bug is. */
function bug(): Error {
  try {
    return (undefined as unknown as () => Error)();
  } catch (error) {
    return error as Error;
  }
}

const coded = (code: string, message = "it does not answer") => Object.assign(new Error(message), { code });

describe("what the log tells of anything thrown", () => {
  it("is where a bug was", () => {
    const { error, stack } = faultOf(bug());
    expect(error).toMatch(/is not a function/);
    expect(stack?.split("\n")[0]).toMatch(/^at bug \(.*test\/platform\/errors\/fault\.test\.ts:\d+:\d+\)$/);
  });

  it("is one line for what explains itself, and for a network or a Postgres that is away", () => {
    for (const foreseen of [
      new RelayError("Run migrate."),
      ...["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT", "57P01", "40P01"].map((code) => coded(code)),
      new Error("Connection terminated unexpectedly"),
      new TypeError("fetch failed", { cause: coded("ENOTFOUND") }),
      AbortSignal.timeout(0).reason ?? new DOMException("The operation timed out.", "TimeoutError"),
    ])
      expect(Object.keys(faultOf(foreseen)), String(foreseen)).toEqual(["error"]);
    // A statement that is wrong is a bug, whoever says so.
    expect(faultOf(coded("42703"))).toHaveProperty("stack");
    expect(faultOf(coded("ERR_INVALID_ARG_TYPE"))).toHaveProperty("stack");
  });

  it("is also what it was caused by, and what was being worked on", () => {
    const wrapped = new Error("an invoice could not be blanked", { cause: bug() });
    noteWork(wrapped, { source: "default", invoices: ["one"] });
    noteWork(wrapped, { source: "another" });
    expect(faultOf(wrapped)).toMatchObject({
      error: "an invoice could not be blanked",
      source: "default",
      invoices: ["one"],
      stack: expect.stringMatching(/^at (.|\n)+\ncaused by .*is not a function\nat bug \(/),
    });
  });

  it("holds no secret, nobody's data and no line of a stranger's", () => {
    const line = "\n    at ada@example.com (https://relay.example.com/callbacks/s3cr3t-t0k3n/x.cjs:1:1)";
    const cause = new Error(`password=hunter22, ada@example.com${line}`);
    const fault = faultOf(new Error(`Bearer abcdefghijklm${line}`, { cause }));
    expect(JSON.stringify(fault)).not.toMatch(/s3cr3t|hunter22|ada@|abcdefghijklm/);
    expect(fault.stack).toMatch(/^at .*fault\.test\.ts/);
    expect(fault.stack).toMatch(/\ncaused by .*\nat .*fault\.test\.ts/);
  });

  it("is bounded, whatever is thrown", () => {
    let error = new Error("the first");
    for (let n = 0; n < 50; n += 1) error = new Error(`number ${n}`, { cause: error });
    expect(faultOf(error).stack?.split("\n").length).toBeLessThanOrEqual(60);
    const round = new Error("round");
    round.cause = round;
    expect(faultOf(round).error).toBe("round");
    for (const odd of [undefined, null, "text", 7, { message: "no error" }])
      expect(faultOf(odd)).toHaveProperty("error");
  });
});
