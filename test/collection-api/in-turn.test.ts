import { describe, expect, it } from "vitest";
import { inTurn } from "../../src/collection-api/in-turn.ts";

describe("work in turn", () => {
  it("runs in the order in which it came, few pieces in each turn of the event loop", async () => {
    const ran: { piece: number; turn: number }[] = [];
    let turn = 0;
    let counting = true;
    const count = () => {
      turn += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    await new Promise<void>((done) => {
      for (let piece = 0; piece < 50; piece += 1)
        inTurn(() => {
          ran.push({ piece, turn });
          if (piece === 49) done();
        });
    });
    counting = false;
    expect(ran.map(({ piece }) => piece)).toEqual(Array.from({ length: 50 }, (_, piece) => piece));
    const turns = Map.groupBy(ran, (one) => one.turn);
    const most = Math.max(...[...turns.values()].map((pieces) => pieces.length));
    expect(most).toBe(4);
    expect(ran[0]?.turn).toBeGreaterThan(0);
  });

  it("goes on with what comes later", async () => {
    let ran = 0;
    for (let times = 0; times < 3; times += 1) {
      await new Promise<void>((done) => inTurn(done));
      ran += 1;
    }
    expect(ran).toBe(3);
  });
});
