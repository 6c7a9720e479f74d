import { describe, expect, it } from "vitest";
import { closeAlarmsByHand } from "../../src/operate/close-alarms.ts";
import { countCallbacks } from "../../src/replay/select-callbacks.ts";
import { addCallback, withDatabase } from "../support/log-rows.ts";

const INVOICE = "00000000-0000-4000-8000-000000000001";

describe("an alarm that a person has seen to", () => {
  it("is closed and audited once, and nothing else is", async () => {
    const { harness, db } = await withDatabase();
    await harness.query(
      `insert into alarm (name, source, subject, detail) values
         ('invoice_anomaly', 'default', $1, 'x'), ('invoice_anomaly', 'other', $1, 'x'),
         ('source_failing', 'default', 'default', 'x')`,
      [INVOICE],
    );
    const alarms = [{ name: "invoice_anomaly", source: "default", subject: INVOICE }] as const;
    const close = () => closeAlarmsByHand({ db, actor: "admin:ada", alarms, reason: "They changed it." });

    expect(await close()).toEqual({ count: 1 });
    expect(await close()).toEqual({ count: 0 });
    expect(
      await harness.query("select name, source from alarm where cleared_at is null order by name"),
    ).toEqual([
      { name: "invoice_anomaly", source: "other" },
      { name: "source_failing", source: "default" },
    ]);
    expect(
      await harness.query(
        "select actor, action, subject, invoice_id, detail->>'reason' as why from audit_entry",
      ),
    ).toEqual([
      {
        ...{ actor: "admin:ada", action: "alarm.close", subject: INVOICE, invoice_id: INVOICE },
        why: "They changed it.",
      },
    ]);
  });
});

describe("callbacks of a replay", () => {
  it("may be chosen one by one", async () => {
    const { harness, db } = await withDatabase();
    const [first] = [await addCallback(harness, { verdict: "refused" }), await addCallback(harness)];
    const callbackIds = [first.id];
    expect(await countCallbacks(db, { filters: { callbackIds, refused: true } })).toBe(1);
    expect(await countCallbacks(db, { filters: { callbackIds } })).toBe(0);
  });
});
