import { describe, expect, it } from "vitest";
import { openConfirmations } from "../../../src/pipeline/confirm/queue/open.ts";
import { backFill } from "../../../src/pipeline/reconcile/sweep/sweep.ts";
import { RelayError } from "../../../src/platform/errors/errors.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
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

/** Another process is at it. */
const runElsewhere = ({ query }: Books, { from, to }: typeof window) =>
  query(
    `insert into sweep (id, source, collection_id, kind, state, lease_token, claimed_until, window_from, window_to)
     values (gen_random_uuid(), 'default', $1, 'back_fill', 'claimed', gen_random_uuid(),
       now() + interval '1 hour', $2, $3)`,
    [COLLECTION, from, to],
  );

describe("a back-fill", () => {
  it("records what was paid before the first serve, publishes what was paid since or a callback named, and has other days dated", async () => {
    const given = await books({ servedDays: 10 });
    const [before, since, called] = [pay(given, 20), pay(given, 5), pay(given, 21)];
    const how = { openedBy: "callback", priority: "unknown" } as const;
    await openConfirmations(given.db, [{ invoiceId: called, source: "default" }], how);
    // Listed, and dated outside the window: only Get Invoice can say so. It is opened, and counts elsewhere.
    const outside = pay(given, 70);
    pay(given, 0.5);
    expect(await fill(given)).toMatchObject({ listed: 3, missing: 3, opened: 3 });
    expect(await records(given)).toEqual({
      [before]: true,
      [since]: false,
      [called]: false,
      [outside]: true,
    });
  });

  it("records everything for a source that was never served, and publishes it with publish", async () => {
    const given = await books({ servedDays: null });
    const id = pay(given, 20);
    await fill(given);
    expect(await records(given)).toEqual({ [id]: true });
    await given.query("update confirmation set state = 'done', verdict = 'paid'");
    expect(await fill(given)).toMatchObject({ listed: 1, opened: 0 });
    expect(await fill(given, { publish: true })).toMatchObject({ opened: 1 });
    expect(await records(given)).toEqual({ [id]: false });
  });

  it("is continued by the same request after a kill -9 in the middle, and counts right, whatever came meanwhile", async () => {
    const given = await books();
    const ids = Array.from({ length: 60 }, (_, n) => pay(given, 1.5 + n / 2));
    await fill(given);
    // Half of the payments were looked at by then, and one came since.
    const middle = ids.toSorted()[29];
    await given.query(
      `update sweep set state = 'claimed', lease_token = gen_random_uuid(), decided_to = $1, listed = 30,
        missing = 30, opened = 30, claimed_until = now() - interval '1 second'`,
      [middle],
    );
    await given.query("delete from confirmation where invoice_id > $1", [middle]);
    const since = "00000000-0000-4000-8000-000000000001";
    given.provider.invoices.push({ id: since, createdAt: daysAgo(2), paidAt: daysAgo(2) });
    const pages: number[] = [];
    const result = await fill(given, { onProgress: (done: number) => pages.push(done) });
    expect(result).toMatchObject({ listed: 61, missing: 61, opened: 61 });
    expect(Object.keys(await records(given)).sort()).toEqual([...ids, since].sort());
    expect(pages).toEqual([...pages].sort((a, b) => a - b));
    expect(await given.query("select state from sweep")).toEqual([{ state: "done" }]);
  });

  it("writes nothing once another process has taken it over (G6)", async () => {
    const given = await books();
    pay(given, 5);
    given.provider.beforePage = () =>
      given.query("update sweep set lease_token = gen_random_uuid()").then(() => undefined);
    await expect(fill(given)).rejects.toThrow(RelayError);
    expect(await given.query("select state, listed, opened from sweep")).toEqual([
      { state: "claimed", listed: 0, opened: 0 },
    ]);
    expect(await records(given)).toEqual({});
  });

  it("names the days that it could not prove to whoever asked, and raises no alarm", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    pay(given, 5);
    expect((await fill(given)).unproven).not.toEqual([]);
    expect(await given.openAlarms()).toEqual([]);
  });

  it("tells of another one of the source that is under way, and is refused while it is the same", async () => {
    const given = await books();
    await runElsewhere(given, { from: daysAgo(200), to: daysAgo(190) });
    expect((await fill(given)).underWay).toMatchObject([{ collectionId: COLLECTION }]);
    const read = given.provider.queries.length;
    await given.query("delete from sweep where state = 'done'");
    await runElsewhere(given, window);
    const other = { ...given, context: { ...given.context, lease: leaseOf(100) } };
    await expect(fill(other)).rejects.toThrow(RelayError);
    expect(given.provider.queries).toHaveLength(read);
  });
});
