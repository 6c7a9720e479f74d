import { bytesByRelationTable, bytesTable } from "../harness/bytes-tables.ts";
import { bytesOf, drainOnce, drainSeries, drainTables } from "../harness/drain-series.ts";
import type { BenchOptions } from "../harness/options.ts";
import type { Report } from "../harness/report.ts";
import { spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { profileTable, ratioTable } from "../harness/tables.ts";

/** How many GETs are under way at a time, as CONFIRM_CONCURRENCY has it. */
const CONCURRENCY = 64;
const SLOW_PROVIDER_MS = 50;

/** Recorded callbacks to published events a second, with a provider that answers at once and with a slow one. */
export async function drain(stage: Stage, options: BenchOptions): Promise<Report> {
  const { rounds, callbacks, profile } = options;
  const fast = await drainSeries(stage, ["relay"], { rounds, callbacks });
  const hot = profile ? (await drainOnce(stage, "relay", callbacks, true)).profile : undefined;
  await stage.provider.call("delay", SLOW_PROVIDER_MS);
  const slow = await drainSeries(stage, ["relay"], { rounds, callbacks: Math.ceil(callbacks / 2) });
  const possible = CONCURRENCY / (SLOW_PROVIDER_MS / 1_000);
  const share = spreadOf((slow.rounds.relay ?? []).map(({ perSecond }) => perSecond / possible));
  const slowTitle = `The same, with a provider that takes ${SLOW_PROVIDER_MS} ms, ${CONCURRENCY} at a time`;
  const bytes = bytesOf(fast);
  return {
    tables: [
      ...drainTables(`Drain of ${callbacks} callbacks, events/s, the median of ${rounds} rounds`, fast),
      bytesTable({ relay: bytes }),
      bytesByRelationTable("Whose bytes they are, the relay's tables and indexes", bytes),
      ...(hot === undefined ? [] : [profileTable(hot)]),
      ...drainTables(slowTitle, slow),
      ...ratioTable({ [`ratioToPossible (${possible}/s)`]: share }, "Share of what is possible"),
    ],
    figures: {
      rounds: { ...fast.rounds, "relay, slow provider": slow.rounds.relay },
      profile: hot,
    },
  };
}
