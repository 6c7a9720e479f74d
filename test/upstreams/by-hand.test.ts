import { describe, expect, it } from "vitest";
import { change, changeByHand, readUpstreamRow } from "../../src/upstreams/change.ts";
import { transition } from "../../src/upstreams/machine.ts";
import { TOPIC } from "../../src/upstreams/upstream-kind.ts";
import { openDatabase } from "../support/log-rows.ts";
import { type Surroundings, surroundings } from "../support/relay.ts";

const REFUSED = { kind: "refused", error: "no such topic" } as const;

const openAlarms = (around: Surroundings) =>
  around.query("select name, subject from alarm where cleared_at is null order by subject");

describe("what a person does to a source or topic", () => {
  it("a topic that refuses again after it was resumed is alarmed again", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    await around.query("insert into topic (arn) values ('arn:one')");
    const refuse = async () => {
      const before = await readUpstreamRow(db, TOPIC, "arn:one");
      const after = before && transition(before, REFUSED, TOPIC.policy, 0);
      if (before === null || after === null) throw new Error("nothing changed");
      await change(db, TOPIC, "arn:one", before, after);
    };
    await refuse();
    await changeByHand(db, TOPIC, "arn:one", { kind: "resume" });
    expect(await openAlarms(around)).toEqual([]);
    await refuse();
    expect(await openAlarms(around)).toEqual([{ name: "topic_paused", subject: "arn:one" }]);
  });

  it("what works or fails meanwhile ends no pause, and one that has ended by itself is none", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    await around.query("insert into topic (arn) values ('arn:one')");
    await changeByHand(db, TOPIC, "arn:one", { kind: "pause", reason: null, until: null });
    for (const until of [null, new Date(0)]) {
      await around.query("update topic set paused_until = $1", [until]);
      for (const signal of [{ kind: "failed", times: 1, error: "x" } as const, { kind: "works" } as const]) {
        const before = await readUpstreamRow(db, TOPIC, "arn:one");
        const after = before && transition(before, signal, TOPIC.policy, 0);
        if (before && after) await change(db, TOPIC, "arn:one", before, after);
        expect((await readUpstreamRow(db, TOPIC, "arn:one"))?.pausedBy).toBe(
          until === null ? "operator" : null,
        );
      }
    }
  });
});
