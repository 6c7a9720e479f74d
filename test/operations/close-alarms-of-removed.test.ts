import { it } from "vitest";
import { eventually, toEqual } from "../support/eventually.ts";
import { addAlarm } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { LISTS, twoSources } from "../support/two-sources.ts";

const lists = { a: { collectionIds: [LISTS.a] }, b: { collectionIds: [LISTS.b] } };

it("alarms of what the settings name no longer stay while any process names it, and are closed once none does (G13)", async () => {
  const harness = await startHarness();
  // Paused by a person: nothing is asked, so that no answer raises or ends an alarm.
  await harness.query(
    `insert into source (name, paused_by, paused_at)
     select name, 'operator', now() from unnest('{a,b}'::text[]) as name`,
  );
  const fresh = await startRelay(twoSources(harness, lists));
  const ofB = [
    ["certificate_failing", "b", "b"],
    ["certificate_gap", "b", "b"],
    ["source_paused", "b", "b"],
    ["sweep_failing", "b", LISTS.b],
    ["topic_paused", "", harness.testTopicArn],
  ];
  for (const [name = "", source, subject = ""] of [
    ...ofB,
    ["source_failing", "gone", "gone"],
    ["event_dead", "gone", "x"],
  ])
    await addAlarm(harness, name, subject, { source });
  const open = async () =>
    (await harness.query("select name from alarm where cleared_at is null")).map(({ name }) => name).sort();

  // A process of the deploy before, that has just been started again.
  const old = await startRelay(twoSources(harness, { a: lists.a }));
  await eventually(open, toEqual(["event_dead", ...ofB.map(([name]) => name)].sort()));
  await fresh.stop();
  await old.stop();
  await startRelay(twoSources(harness, { a: lists.a }));
  await eventually(open, toEqual(["event_dead"]));
});
