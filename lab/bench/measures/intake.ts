import { type CpuCosts, warmUp } from "../harness/cpu.ts";
import { profileTable, type Report, rateTables } from "../harness/report.ts";
import { interleave } from "../harness/rounds.ts";
import type { BenchDatabase, Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";
import type { ReferenceCalls } from "../processes/references.ts";

/** Connections that a provider in a rush would keep open. */
export const RUSH = 256;

/** Over few connections all wait for one commit, over many each commit takes many. */
const CONNECTIONS = [64, RUSH];

const WARM_UP_MS = 500;

interface Intake {
  perSecond: number;
  p50: number;
  p99: number;
  cpu: CpuCosts;
}

interface Receiver {
  pid: number;
  port: number;
  end(): Promise<void>;
}

/** Floods a listening process over each of these numbers of connections, one after the other. */
export async function measureFloods(
  stage: Stage,
  { pid, port }: Pick<Receiver, "pid" | "port">,
  ms: number,
  counts: readonly number[] = CONNECTIONS,
): Promise<Intake[]> {
  await warmUp(pid, () => stage.flood({ port, connections: RUSH, ms: WARM_UP_MS }));
  const measured: Intake[] = [];
  for (const connections of counts) {
    await stage.settleDisk();
    const clock = stage.startCpuClock(pid);
    const { answered, perSecond, latency } = await stage.flood({ port, connections, ms });
    measured.push({ perSecond, p50: latency.p50, p99: latency.p99, cpu: clock(answered) });
  }
  return measured;
}

/** Every answered callback must stand in the log, with its confirmation. */
async function requireRecorded({ query }: BenchDatabase, measured: Intake[], ms: number): Promise<void> {
  const answered = measured.reduce((sum, { perSecond }) => sum + Math.floor((perSecond * ms) / 1_000), 0);
  const [row] = await query<{ callbacks: number; confirmations: number }>(
    `select (select count(*) from callback)::int as callbacks,
      (select count(*) from confirmation)::int as confirmations`,
  );
  if (row === undefined || row.callbacks < answered || row.confirmations !== row.callbacks)
    throw new Error(`${answered} callbacks were answered; recorded: ${JSON.stringify(row)}`);
}

/** The receiver in a database of its own, whose rows are counted afterwards. */
const measured = (stage: Stage, start: (database: BenchDatabase) => Promise<Receiver>, ms: number) =>
  stage.withDatabase(async (database) => {
    const receiver = await start(database);
    const floods = await measureFloods(stage, receiver, ms);
    await receiver.end();
    await requireRecorded(database, floods, ms);
    return floods;
  });

/**
 * Durable callbacks a second, the opening of confirmations included, against bare Express and a statement a
 * request, over few connections and over many.
 */
export async function intake(stage: Stage, { rounds, ms, profile, alone }: BenchOptions): Promise<Report> {
  const reference = (name: "generatorCeiling" | "bare") => async () => {
    const child = stage.child<ReferenceCalls>("references");
    const floods = await measureFloods(stage, { pid: child.pid, ...(await child.call(name)) }, ms);
    await child.end();
    return floods;
  };
  const perRequestInsert = async ({ url }: BenchDatabase) => {
    const child = stage.child<ReferenceCalls>("references");
    return { ...child, ...(await child.call("perRequestInsert", url)) };
  };
  const startRelay = (database: BenchDatabase) => stage.relay(database, { http: true, workers: false });
  const floods = await interleave(
    {
      ...(alone
        ? {}
        : {
            generatorCeiling: reference("generatorCeiling"),
            bare: reference("bare"),
            perRequestInsert: () => measured(stage, perRequestInsert, ms),
          }),
      relay: () => measured(stage, startRelay, ms),
    },
    rounds,
  );
  const hot = await stage.withDatabase(async (database) => {
    if (!profile) return undefined;
    const relay = await startRelay(database);
    await relay.call("startProfile");
    await measureFloods(stage, relay, ms, [RUSH]);
    return await relay.call("stopProfile").finally(relay.end);
  });
  const each = Object.entries(floods);
  const over = CONNECTIONS.map((count, place) => ({
    count,
    figures: Object.fromEntries(each.map(([name, all]) => [name, all.map((one) => one[place] as Intake)])),
  }));
  const named = over.flatMap(({ count, figures }) =>
    Object.entries(figures).map(([name, all]) => [`${name}, ${count} connections`, all] as const),
  );
  return {
    tables: [
      ...over.flatMap(({ count, figures }) =>
        rateTables(`Intake: callbacks over ${count} connections`, figures, {
          "answer p50 ms": ({ p50 }) => p50,
          "p99 ms": ({ p99 }) => p99,
        }),
      ),
      ...(hot === undefined ? [] : [profileTable(hot)]),
    ],
    figures: { rounds: Object.fromEntries(named), profile: hot },
  };
}
