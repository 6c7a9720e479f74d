import { describe, expect, it, vi } from "vitest";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { LISTS, twoSources } from "../support/two-sources.ts";

const WITHIN = { interval: 20 };
const lists = { a: { collectionIds: [LISTS.a] }, b: { collectionIds: [LISTS.b] } };

const openAlarms = async ({ query }: Surroundings) =>
  (await query<{ name: string }>("select name from alarm where cleared_at is null order by name")).map(
    ({ name }) => name,
  );

/** Paused by a person: nothing is asked, so that no answer raises or ends an alarm. */
const pause = ({ query }: Surroundings, names: readonly string[]) =>
  query(
    `insert into source (name, paused_by, paused_at, paused_until)
     select name, 'operator', now(), now() + interval '1 h' from unnest($1::text[]) as name`,
    [names],
  );

describe("alarms of what the settings name no longer", () => {
  it("stay while any process names it, and are closed once none does (G13)", async () => {
    const around = await surroundings();
    await pause(around, ["a", "b"]);
    const fresh = await startRelay(twoSources(around, lists));
    const ofB = [
      ["source_paused", "b", "b"],
      ["topic_paused", "", around.testTopicArn],
      ["sweep_failing", "b", LISTS.b],
      ["certificate_gap", "b", "b"],
      ["certificate_failing", "b", "b"],
    ];
    const ofNobody = ["source_failing", "gone", "gone"];
    for (const alarm of [...ofB, ofNobody, ["event_dead", "gone", "x"]])
      await around.query("insert into alarm (name, source, subject, detail) values ($1, $2, $3, '')", alarm);

    // A process of the deploy before, that has just been started again.
    const old = await startRelay(twoSources(around, { a: lists.a }));
    const stay = [...ofB.map(([name]) => name), "event_dead"].toSorted();
    await vi.waitFor(async () => expect(await openAlarms(around)).not.toContain("source_failing"), WITHIN);
    expect(await openAlarms(around)).toEqual(stay);

    await fresh.stop();
    await old.stop();
    await startRelay(twoSources(around, { a: lists.a }));
    await vi.waitFor(async () => expect(await openAlarms(around)).toEqual(["event_dead"]), WITHIN);
  });

  it("closed while nobody named it, are raised again by whoever does, as long as they hold (G13)", async () => {
    const around = await surroundings();
    await pause(around, ["a"]);
    await around.query(
      `insert into source (name, paused_by, paused_at, probe_at, last_error, first_served_at)
       values ('b', 'refused', now(), now() + interval '1 min', 'HTTP 401', now())`,
    );
    await around.query(
      "insert into topic (arn, faults, opens_at) values ($1, 7, now() + interval '1 hour')",
      [around.testTopicArn],
    );
    await startRelay(twoSources(around, lists));
    await vi.waitFor(
      async () => expect(await openAlarms(around)).toEqual(["source_paused", "topic_failing"]),
      WITHIN,
    );
    expect(await around.query("select subject, times from alarm where detail ~ 'key of source'")).toEqual([
      { subject: "b", times: 1 },
    ]);
  });

  it("of a long Retry-After are raised again too, by whoever names the source (G13)", async () => {
    const around = await surroundings();
    await around.query(
      `insert into source (name, paused_by, paused_at, paused_until, retry_at, first_served_at)
       values ('a', 'operator', now(), now() + interval '1 h', now() + interval '14 min', now()),
         ('b', 'operator', now(), now() + interval '1 h', now() + interval '14 min', now())`,
    );
    // That of `a` was not asked to wait for longer than 15 minutes since then.
    await around.query(
      `insert into alarm (name, source, subject, detail, raised_at, last_raised_at, cleared_at)
       select 'retry_after_capped', name, name, '', now() - ago, now() - ago, now()
       from (values ('a', interval '2 hours'), ('b', interval '1 min')) as closed (name, ago)`,
    );
    await startRelay(twoSources(around, lists));
    await vi.waitFor(async () => expect(await openAlarms(around)).toEqual(["retry_after_capped"]), WITHIN);
    expect(await around.query("select subject, times from alarm where cleared_at is null")).toEqual([
      { subject: "b", times: 1 },
    ]);
  });
});
