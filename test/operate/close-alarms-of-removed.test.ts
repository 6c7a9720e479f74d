import { describe, expect, it, vi } from "vitest";
import { addAlarm } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { LISTS, twoSources } from "../support/two-sources.ts";

const WITHIN = { interval: 20 };
const lists = { a: { collectionIds: [LISTS.a] }, b: { collectionIds: [LISTS.b] } };

const openAlarms = async ({ query }: Harness) =>
  (await query<{ name: string }>("select name from alarm where cleared_at is null order by name")).map(
    ({ name }) => name,
  );

/** Paused by a person: nothing is asked, so that no answer raises or ends an alarm. */
const pause = ({ query }: Harness, names: readonly string[]) =>
  query(
    `insert into source (name, paused_by, paused_at, paused_until)
     select name, 'operator', now(), now() + interval '1 h' from unnest($1::text[]) as name`,
    [names],
  );

describe("alarms of what the settings name no longer", () => {
  it("stay while any process names it, and are closed once none does (G13)", async () => {
    const harness = await startHarness();
    await pause(harness, ["a", "b"]);
    const fresh = await startRelay(twoSources(harness, lists));
    const ofB = [
      ["source_paused", "b", "b"],
      ["topic_paused", "", harness.testTopicArn],
      ["sweep_failing", "b", LISTS.b],
      ["certificate_gap", "b", "b"],
      ["certificate_failing", "b", "b"],
    ];
    const ofNobody = ["source_failing", "gone", "gone"];
    for (const [name = "", source, subject = ""] of [...ofB, ofNobody, ["event_dead", "gone", "x"]])
      await addAlarm(harness, name, subject, { source });

    // A process of the deploy before, that has just been started again.
    const old = await startRelay(twoSources(harness, { a: lists.a }));
    const stay = [...ofB.map(([name]) => name), "event_dead"].toSorted();
    await vi.waitFor(async () => expect(await openAlarms(harness)).not.toContain("source_failing"), WITHIN);
    expect(await openAlarms(harness)).toEqual(stay);

    await fresh.stop();
    await old.stop();
    await startRelay(twoSources(harness, { a: lists.a }));
    await vi.waitFor(async () => expect(await openAlarms(harness)).toEqual(["event_dead"]), WITHIN);
  });
});
