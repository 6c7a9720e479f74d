import { Alarms } from "../../src/alarms/alarms.ts";
import { createPasses } from "../../src/app/passes.ts";
import { register } from "../../src/app/upstreams.ts";
import { type ConnectOptions, connect } from "../../src/database/connect.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import type { ServeSettings, Source } from "../../src/kit/settings.ts";
import { leaseOf } from "../../src/work/lease.ts";

/** A relay taken apart: its sources are registered, and each of its passes is run when the test says so. */
export async function passesApart(
  settings: ServeSettings,
  sources: readonly Source[],
  options: ConnectOptions,
) {
  const { db, close } = connect(settings.DATABASE_URL, options);
  await register(db, sources);
  const warnings: string[] = [];
  const log = createLogger({ level: "warn", destination: { write: (line) => warnings.push(line) } });
  const metrics = createMetrics();
  const alarms = new Alarms({ db, log, metrics });
  const passes = createPasses({
    db,
    hot: db,
    settings,
    lease: leaseOf(settings.LEASE_DURATION),
    sources,
    alarms,
    log,
    metrics,
    signer: null,
    onEvents: () => undefined,
    onConfirmations: () => undefined,
  });
  return {
    db,
    alarms,
    passes,
    warnings,
    async close() {
      await passes.close();
      await close();
    },
  };
}
