import { describe, expect, it } from "vitest";
import { openConfirmations } from "../../../src/pipeline/confirm/queue/open.ts";
import { backFill } from "../../../src/pipeline/reconcile/sweep/run-sweep.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { type Books, books, daysAgo, pay } from "./relay-books.ts";

const window = { from: daysAgo(60), to: daysAgo(1) };

const fill = ({ context, source }: Books, changes = {}) =>
  backFill(context, {
    ...{ source, collectionId: COLLECTION, window, publish: false, signal: context.signal },
    ...changes,
  });

/** By invoice: whether it is only to be recorded. */
const records = async ({ query }: Books) =>
  Object.fromEntries(
    (
      await query<{ id: string; record: boolean }>(
        "select invoice_id as id, record_only as record from confirmation",
      )
    ).map(({ id, record }) => [id, record]),
  );

describe("a back-fill", () => {
  it("records what was paid before the first serve, publishes what was paid since or a callback named, with publish all; others are dated", async () => {
    const given = await books({ servedDays: 10 });
    const [before, since, called] = [pay(given, 20), pay(given, 5), pay(given, 21)];
    const how = { openedBy: "callback", priority: "unknown" } as const;
    await openConfirmations(given.db, [{ invoiceId: called, source: "default" }], how);
    // Listed, and dated outside the window: only Get Invoice can say so. It is opened, and counts elsewhere.
    const outside = pay(given, 70);
    pay(given, 0.5);
    expect(await fill(given)).toMatchObject({ listed: 3, missing: 3, opened: 3 });
    const others = { [since]: false, [called]: false, [outside]: true };
    expect(await records(given)).toEqual({ [before]: true, ...others });
    await given.query("update confirmation set state = 'done', verdict = 'paid'");
    expect(await fill(given, { publish: true })).toMatchObject({ opened: 3 });
    expect(await records(given)).toEqual({ [before]: false, ...others });
  });

  it("names the days that it could not prove to whoever asked, and raises no alarm", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    pay(given, 5);
    expect((await fill(given)).unproven).not.toEqual([]);
    expect(await given.openAlarms()).toEqual([]);
  });
});
