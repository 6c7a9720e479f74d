import { describe, expect, it } from "vitest";
import { ListPace } from "../../src/reconcile/list/list-pace.ts";
import { ListUnreadable } from "../../src/reconcile/list/list-reader.ts";
import { Upstream } from "../../src/upstreams/upstream.ts";
import { SOURCE } from "../../src/upstreams/upstream-kind.ts";
import { books } from "./relay-books.ts";

const signal = new AbortController().signal;

const slowedDown = async () => {
  throw new ListUnreadable("The list", { kind: "rate_limited", retryAfterMs: null, error: "429" });
};

/** Reading lists that answer 429 so many times in a row; nobody waits for what they ask. */
async function slowed(times: number) {
  const given = await books();
  const pace = () => new ListPace({ ...given.context, signal });
  const open = () => given.query("update source set opens_at = '-infinity', version = version + 1");
  for (let turn = 0; turn < times; turn += 1) {
    await expect(pace().call(slowedDown)).rejects.toThrow("429");
    await open();
  }
  return { ...given, read: () => pace().call(async () => "a page") };
}

describe("the pace at which lists are read", () => {
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
    await expect(new ListPace({ ...given.context, signal }).call(slowedDown)).rejects.toThrow("429");
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
