import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { drain } from "../../../src/runtime/lambda/work.ts";

const GO_ON = new AbortController().signal;

/** A pass that ends when it is told to, and how often it has begun. */
function scripted(...ends: (number | null | Error | Promise<number | null>)[]) {
  const passes = { begun: 0 };
  const pass = async () => {
    const end = ends[Math.min(passes.begun, ends.length - 1)] ?? null;
    passes.begun += 1;
    if (end instanceof Error) throw end;
    return await end;
  };
  return { pass, passes };
}

describe("the passes of one invocation", () => {
  it("run in turn, and again while one of a line expects more work soon", async () => {
    const order: string[] = [];
    const first = scripted(null);
    const second = scripted(1, 0, 5_000);
    const noting = (name: string, pass: () => Promise<number | null>) => () => {
      order.push(name);
      return pass();
    };
    await drain([[noting("first", first.pass), noting("second", second.pass)]], 100, GO_ON);
    expect(order).toEqual(["first", "second", "first", "second", "first", "second"]);
  });

  it("of a line that is done look again while another works, and all end with the last (G11)", async () => {
    const slow = Promise.withResolvers<null>();
    const [busy, quick] = [scripted(slow.promise), scripted(1)];
    const drained = drain([[busy.pass], [quick.pass]], 0, GO_ON);
    while (quick.passes.begun < 3) await nextTurn();
    slow.resolve(null);
    await drained;
    expect(busy.passes.begun).toBe(1);
  });

  it("that fail keep none of another line from its work, and are told at the end", async () => {
    const slow = Promise.withResolvers<null>();
    const [busy, failing] = [scripted(1, slow.promise), scripted(new Error("one source is broken"))];
    const drained = drain([[failing.pass], [busy.pass]], 1, GO_ON);
    while (busy.passes.begun < 2) await nextTurn();
    slow.resolve(null);
    await expect(drained).rejects.toThrow("one source is broken");
    expect(failing.passes.begun).toBe(1);
  });

  it("begin no more once they are to stop, and there may be none at all", async () => {
    const stop = new AbortController();
    const one = scripted(0);
    const pass = () => {
      if (one.passes.begun === 3) stop.abort();
      return one.pass();
    };
    await drain([[pass]], 0, stop.signal);
    expect(one.passes.begun).toBe(4);
    await drain([], 0, GO_ON);
  });
});
