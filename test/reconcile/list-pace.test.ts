import { describe, expect, it } from "vitest";
import { ListPace } from "../../src/reconcile/list/list-pace.ts";
import { ListUnreadable } from "../../src/reconcile/list/list-reader.ts";
import { Upstream } from "../../src/upstreams/upstream.ts";
import { SOURCE } from "../../src/upstreams/upstream-kind.ts";
import { books } from "./relay-books.ts";

const signal = new AbortController().signal;

const SLOW_DOWN = { kind: "slow_down", retryAfterMs: null, error: "429" } as const;

/** A source that has answered 429 so many times in a row; nobody waits for what that asks. */
async function slowed(times: number) {
  const given = await books();
  const upstream = new Upstream({ ...given.context, kind: SOURCE, name: "default" });
  const slowDown = () => upstream.note(SLOW_DOWN);
  for (let turn = 0; turn < times; turn += 1) await slowDown();
  const open = () => given.query("update source set opens_at = '-infinity', version = version + 1");
  await open();
  const read = () => new ListPace({ ...given.context, signal }).call(async () => "a page");
  return { ...given, read, slowDown };
}

describe("the pace at which lists are read", () => {
  it.each([
    [{ kind: "fault", error: "HTTP 502" }, 2],
    [{ kind: "rate_limited", retryAfterMs: 10, error: "429" }, 2],
    [{ kind: "rate_limited", retryAfterMs: 60_000, error: "429" }, 1],
    [{ kind: "outside_contract", error: "no list", evidence: "" }, 1],
  ] as const)("a page that is refused by %j is asked for so often: %i", async (refusal, times) => {
    const given = await books();
    let asked = 0;
    const call = async () => {
      asked += 1;
      throw new ListUnreadable("The list", refusal);
    };
    await expect(new ListPace({ ...given.context, signal }).call(call)).rejects.toThrow(refusal.error);
    expect(asked).toBe(times);
  });

  it("five 429s in a row are told, and the first page that is read ends it", async () => {
    const given = await slowed(5);
    expect(await given.openAlarms()).toEqual(["source_failing"]);
    expect(await given.read()).toBe("a page");
    expect(await given.openAlarms()).toEqual([]);
    expect(await given.query("select faults + slow_downs as troubles, last_error from source")).toEqual([
      { troubles: 0, last_error: null },
    ]);
  });

  it("429s that pages lie between do not add up to a longer and longer wait", async () => {
    const given = await slowed(4);
    await given.read();
    await given.slowDown();
    const [row] = await given.query<{ wait: number }>(
      "select extract(epoch from opens_at - now())::float8 as wait from source",
    );
    expect(row?.wait).toBeLessThan(1.1);
  });

  it("a page that is read says nothing of invoices that are not answered", async () => {
    const given = await slowed(0);
    const upstream = new Upstream({ ...given.context, kind: SOURCE, name: "default" });
    await upstream.note({ kind: "failed", times: 5, error: "500" });
    await given.query("update source set opens_at = '-infinity', version = version + 1");
    await given.read();
    expect(await given.openAlarms()).toEqual(["source_failing"]);
  });
});
