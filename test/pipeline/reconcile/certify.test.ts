import { describe, expect, it } from "vitest";
import { refusing } from "./list-provider.ts";
import { midnight, PAID_AT, place, prove } from "./prove-period.ts";
import { books } from "./relay-books.ts";

describe("the certificate", () => {
  it("names dead confirmations that no list shows, and who dismissed what", async () => {
    const given = await books();
    const isDead = "state = 'dead', verdict = 'pending'";
    const dead = await place(given, { listed: false, came: 1, confirmation: isDead });
    const isDismissed = "verdict = 'quarantined', dismissed_at = now()";
    const dismissed = await place(given, { came: 2, confirmation: isDismissed });
    await given.query(
      `insert into audit_entry (actor, action, subject, invoice_id, detail)
       values ('cli:ada', 'quarantine.dismiss', $1::uuid::text, $1::uuid, '{}')`,
      [dismissed],
    );
    const { result, differences } = await prove(given);
    expect(result).toBe("not_equal");
    expect(differences).toMatchObject([
      { invoiceId: dismissed, reason: "quarantined", detail: expect.stringContaining("cli:ada") },
      { invoiceId: dead, reason: "dead", weight: "difference" },
    ]);
  });

  it("asks again about confirmations whose last answer was no verdict, and that no list shows (G10)", async () => {
    const given = await books();
    const confirmation = "state = 'due', verdict = 'pending', last_error = 'odd'";
    const open = { listed: false, came: 1, confirmation } as const;
    const [odd, unpaid] = [await place(given, open), await place(given, open)];
    const dates = { createdAt: PAID_AT, paidAt: PAID_AT };
    given.provider.unlisted = [
      { id: odd, status: "Overpaid", ...dates },
      { id: unpaid, status: "Unpaid", ...dates },
    ];
    const differences = [{ invoiceId: odd, reason: "status_unknown" }];
    expect(await prove(given)).toMatchObject({ result: "not_equal", differences });
  });

  it("compares with the event's own fields, whatever keys its metadata has (G10)", async () => {
    const given = await books();
    const metadata = {
      ...{ amount: "1", serviceCharge: "2", vat: "7.5 %", totalAmount: "3", settleableAmount: "4" },
      ...{ paidAt: "2020-01-01T00:00:00.000Z", id: "x", subject: "y" },
    };
    await place(given, { metadata });
    await place(given, { metadata, undated: true });
    const { result, differences } = await prove(given);
    expect([result, differences.filter(({ weight }) => weight !== "note")]).toEqual(["equal", []]);
  });

  it("counts acceptances without their event on every day, named or not (G10)", async () => {
    const given = await books();
    const orphans = (count: number, at: Date) =>
      given.query(
        `insert into publication (source, event_id, topic_arn, message_id, published_at)
         select 'default', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 't', 'm', $2
         from generate_series($1::int, $1::int * 2 - 1) as n`,
        [count, at],
      );
    await orphans(2_000, midnight(3));
    await orphans(1, new Date(midnight(2).getTime() + 1));
    await given.query("update publication set event_id = gen_random_uuid() where published_at > $1", [
      midnight(2),
    ]);
    const { days, total, differencesInAll } = await prove(given);
    expect(days).toMatchObject([
      { day: midnight(3).toISOString().slice(0, 10), differences: 2_000 },
      { day: midnight(2).toISOString().slice(0, 10), differences: 1 },
    ]);
    expect([total.differences, differencesInAll]).toEqual([2_001, 2_001]);
  });

  it("is none without COLLECTION_IDS, or of half a list", async () => {
    const given = await books();
    const source = { ...given.source, collectionIds: [] };
    await expect(prove(given, { source })).rejects.toMatchObject({ code: "usage" });
    given.provider.faults = [refusing(500)];
    await expect(prove(given)).rejects.toMatchObject({ code: "provider_away" });
    expect(await given.query("select 1 from certificate")).toEqual([]);
  });
});
