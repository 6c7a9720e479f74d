import { expect, it } from "vitest";
import { Alarms } from "../../src/alarms/alarms.ts";
import { claimAlarmsToNotify } from "../../src/alarms/alarms-to-notify.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { mostRowsOf } from "../support/most-rows.ts";
import { surroundings } from "../support/relay.ts";

it("alarms that stay open or are over cost those who look for news nothing, however many there are (G11)", async () => {
  const around = await surroundings();
  await around.query(
    `insert into alarm (name, source, subject, detail, told_at)
     select 'invoice_quarantined', 'default', gen_random_uuid(), '', now() from generate_series(1, 3000)`,
  );
  await around.query(
    `insert into alarm (name, source, subject, detail, told_at, cleared_at, cleared_told_at)
     select 'invoice_anomaly', 'default', gen_random_uuid(), '', now(), now(), now()
     from generate_series(1, 3000)`,
  );
  await around.query(
    `insert into alarm (name, source, subject, detail) values ('event_dead', 'default', 'new', '')`,
  );
  await around.query(
    `insert into alarm (name, source, subject, detail, last_raised_at, told_at)
     values ('event_truncated', 'default', 'quiet', '', now() - interval '2 days', now())`,
  );
  const look = async (db: Parameters<typeof claimAlarmsToNotify>[0]) => {
    const alarms = new Alarms({ db, log: createLogger({ level: "silent" }), metrics: createMetrics() });
    await alarms.clearQuiet();
    const untold = await claimAlarmsToNotify(db, { most: 500, lease: leaseOf(0) });
    expect(untold?.alarms.map(({ subject }) => subject)).toEqual(["new", "quiet"]);
  };
  expect(await mostRowsOf(around.databaseUrl, look)).toBeLessThan(100);
});
