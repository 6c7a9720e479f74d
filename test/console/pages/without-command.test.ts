import { describe, expect, it } from "vitest";
import { withoutCommand } from "../../../src/console/pages/kit/without-command.ts";
import { adviceOf, wordsOf } from "../../../src/console/pages/now/headline.ts";

const ID = "6c809373-5d5d-5cdc-b987-d08acaac59bc";

describe("what the command line would be used for", () => {
  it("is left out where a page leads there, and nothing else is", () => {
    expect(withoutCommand(`SNS refuses it. See: invoice-relay dead show ${ID}`)).toBe("SNS refuses it.");
    expect(withoutCommand(`It is foreign. Release it with: invoice-relay quarantine release ${ID}`)).toBe(
      "It is foreign.",
    );
    expect(withoutCommand(`See: invoice-relay dead show ${ID} first`)).toContain("first");
    expect(adviceOf("Look at them with: invoice-relay dead list")).toBe("");
    expect(adviceOf("Each says below what to do; all of them: invoice-relay alarms")).toBe(
      "Each says below what to do.",
    );
    expect(adviceOf("Once the reason is gone: invoice-relay resume publish")).toContain("resume publish");
    expect(wordsOf("7 alarms are open (event_dead, invoice_anomaly 2 times)")).toBe("7 alarms are open.");
    expect(wordsOf("an alarm is open (event_dead)")).toBe("An alarm is open.");
    expect(wordsOf("sending is paused (their deploy)")).toBe("Sending is paused (their deploy).");
  });
});
