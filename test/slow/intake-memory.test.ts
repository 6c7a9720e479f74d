import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startRelay, surroundings } from "../support/relay.ts";
import { heapAfterCollection } from "./heap-after-collection.ts";

const REQUESTS = 24_000;
const AT_ONCE = 32;

describe("the intake's memory", () => {
  it("is bounded (G8): the heap after collection in the last quarter is at most 1.2 times that in the second", async () => {
    const around = await surroundings();
    const relay = await startRelay(
      around.environment({ TRUSTED_PROXIES: "loopback", WRONG_TOKENS_PER_MINUTE: "5" }),
      { http: true, workers: false },
    );
    relay.lines.push = () => 0;
    const bomb = gzipSync(Buffer.alloc(2_000_000));
    /** Friendly and hostile in turn, each wrong token from an address of its own. */
    const send = async (n: number) => {
      const kinds = [
        () => relay.callback({ n, data: { id: "x" } }),
        () => relay.callback(bomb, { headers: { "content-encoding": "gzip" } }),
        () => relay.callback("[".repeat(20_000)),
        () =>
          relay.callback(`{"n":${n}}`, {
            path: `/callbacks/wrong-${n}`,
            headers: {
              "x-forwarded-for": `2001:db8:${(n >> 12).toString(16)}:${(n & 0xfff).toString(16)}::1`,
            },
          }),
      ];
      const answer = await (kinds[n % kinds.length] ?? kinds[0])?.();
      await answer?.arrayBuffer();
    };
    const quarters: number[] = [];
    let next = 0;
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const end = (REQUESTS / 4) * (quarter + 1);
      const worker = async () => {
        while (next < end) {
          next += 1;
          await send(next);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      quarters.push(heapAfterCollection());
    }
    const [, second = 0, , last = 0] = quarters;
    expect(last, `heap after collection, by quarter: ${quarters.join(", ")}`).toBeLessThanOrEqual(
      second * 1.2,
    );
    expect((await around.query("select count(*)::int as n from callback"))[0]).toEqual({ n: REQUESTS / 2 });
  });
});
