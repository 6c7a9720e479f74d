import { describe, expect, it } from "vitest";
import { ListPace } from "../../../src/pipeline/reconcile/list/list-pace.ts";
import { ListUnreadable } from "../../../src/pipeline/reconcile/list/list-reader.ts";
import { SOURCE, Upstream } from "../../../src/platform/upstreams/index.ts";
import { books } from "./relay-books.ts";

/** A source of which this was noted; nobody waits for what that asks. */
async function noted(...reports: Parameters<Upstream["note"]>[0][]) {
  const given = await books();
  const upstream = new Upstream({ ...given.context, kind: SOURCE, name: "default" });
  for (const report of reports) await upstream.note(report);
  await given.query("update source set opens_at = '-infinity', version = version + 1");
  const pace = new ListPace(given.context);
  return { ...given, upstream, pace, read: () => pace.call(async () => "a page") };
}

const SLOW_DOWN = { kind: "slow_down", retryAfterMs: null, error: "429" } as const;

describe("the pace at which lists are read", () => {
  it.each([
    [{ kind: "fault", error: "HTTP 502" }, 2],
    [{ kind: "rate_limited", retryAfterMs: 10, error: "429" }, 2],
    [{ kind: "rate_limited", retryAfterMs: 60_000, error: "429" }, 1],
    [{ kind: "outside_contract", error: "no list", evidence: "" }, 1],
  ] as const)("a page that is refused by %j is asked for so often: %i", async (refusal, times) => {
    const { pace, query } = await noted();
    let asked = 0;
    const call = async () => {
      asked += 1;
      throw new ListUnreadable("The list", refusal);
    };
    await expect(pace.call(call)).rejects.toMatchObject({ refusal });
    expect(asked).toBe(times);
    const waits = "select retry_at > now() + interval '50 s' as long from source";
    const isLong = "retryAfterMs" in refusal && refusal.retryAfterMs === 60_000;
    expect((await query<{ long: boolean | null }>(waits))[0]?.long ?? false).toBe(isLong);
  });

  it("five 429s in a row are told, and the first page that is read ends it", async () => {
    const { openAlarms, read, query } = await noted(...Array(5).fill(SLOW_DOWN));
    expect(await openAlarms()).toEqual(["source_failing"]);
    expect(await read()).toBe("a page");
    expect(await openAlarms()).toEqual([]);
    expect(await query("select faults + slow_downs as troubles, last_error from source")).toEqual([
      { troubles: 0, last_error: null },
    ]);
  });

  it("429s that pages lie between do not add up to a longer and longer wait", async () => {
    const { read, upstream, query } = await noted(...Array(4).fill(SLOW_DOWN));
    await read();
    await upstream.note(SLOW_DOWN);
    expect(await query("select opens_at < now() + interval '1.1 s' as soon from source")).toEqual([
      { soon: true },
    ]);
  });

  it("a page that is read says nothing of invoices that are not answered", async () => {
    const { openAlarms, read } = await noted({ kind: "failed", times: 5, error: "500" });
    await read();
    expect(await openAlarms()).toEqual(["source_failing"]);
  });
});
