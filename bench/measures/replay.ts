import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { startReplay } from "../../src/replay/start-replay.ts";
import type { BenchDatabase } from "../harness/bench-database.ts";
import { nowMs } from "../harness/clock.ts";
import { fillHistory } from "../harness/fill-history.ts";
import { interleave } from "../harness/interleave.ts";
import { type Latency, sendCallbacks, startWarmRelay } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded } from "../harness/report.ts";
import { TOPIC_ARN } from "../harness/sample-payment.ts";
import { ratiosOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { ratioTable } from "../harness/tables.ts";

/** What live traffic there is beside it. */
const LIVE_PER_SECOND = 50;

/** More than it can do: the replay's own limit is not what is measured. */
const RATE = 100_000;

interface Round {
  /** Events replayed a second; null without a replay. */
  perSecond: number | null;
  live: Latency | null;
}

async function begin(database: BenchDatabase): Promise<string> {
  const { db, close } = connect(new Secret(database.url), { max: 1 });
  try {
    const replay = await startReplay({
      ...{ db, actor: "bench", kind: "events", filters: {}, target: { kind: "topics" }, rate: RATE },
      routes: [{ source: "default", invoiceType: "Live", topicArn: TOPIC_ARN }],
    });
    if (replay === null) throw new Error("There is nothing to replay");
    return replay.id;
  } finally {
    await close();
  }
}

async function sent(database: BenchDatabase, id: string): Promise<number> {
  const [row] = await database.query<{ sent: number }>("select sent from replay where id = $1", [id]);
  return row?.sent ?? 0;
}

/** Waits for the first replayed event, then counts for as long as `work` takes. */
async function replayedDuring(database: BenchDatabase, work: () => Promise<unknown>): Promise<number> {
  const id = await begin(database);
  while ((await sent(database, id)) === 0) await delay(10);
  const [before, startedAt] = [await sent(database, id), nowMs()];
  await work();
  return (((await sent(database, id)) - before) * 1_000) / (nowMs() - startedAt);
}

/** Events replayed a second, alone and beside live traffic, and what live traffic notices of it. */
export async function replay(stage: Stage, { rounds, ms, callbacks }: BenchOptions): Promise<Report> {
  const withRelay = (work: (database: BenchDatabase, port: number) => Promise<Round>) =>
    stage.withDatabase(async (database) => {
      // Enough that it does not end before the measurement does.
      await fillHistory(database, callbacks * 10);
      const relay = await startWarmRelay(stage, database);
      const round = await work(database, relay.port);
      await relay.end();
      return round;
    });
  const figures = await interleave<Round>(
    {
      liveAlone: () =>
        withRelay(async (_, port) => ({
          perSecond: null,
          live: await sendCallbacks(stage, port, LIVE_PER_SECOND, ms),
        })),
      replayAlone: () =>
        withRelay(async (database) => ({
          perSecond: await replayedDuring(database, () => delay(ms)),
          live: null,
        })),
      both: () =>
        withRelay(async (database, port) => {
          let live: Latency | null = null;
          const perSecond = await replayedDuring(database, async () => {
            live = await sendCallbacks(stage, port, LIVE_PER_SECOND, ms);
          });
          return { perSecond, live };
        }),
    },
    rounds,
  );
  const column = (name: string, of: (round: Round) => number | undefined) =>
    (figures[name] ?? []).map((round) => of(round) ?? Number.NaN);
  const p50 = (round: Round) => round.live?.sentToAccepted.p50;
  const p99 = (round: Round) => round.live?.sentToAccepted.p99;
  const perSecond = (round: Round) => round.perSecond ?? undefined;
  const ratios = {
    liveP50WithReplay: spreadOf(ratiosOf(column("both", p50), column("liveAlone", p50))),
    liveP99WithReplay: spreadOf(ratiosOf(column("both", p99), column("liveAlone", p99))),
    replayBesideLive: spreadOf(ratiosOf(column("both", perSecond), column("replayAlone", perSecond))),
  };
  const middle = (name: string, of: (round: Round) => number | undefined) => {
    const { median } = spreadOf(column(name, of));
    return Number.isNaN(median) ? null : rounded(median);
  };
  return {
    tables: [
      {
        title: `Replay of events, beside ${LIVE_PER_SECOND} live callbacks/s, the median of ${rounds} rounds`,
        header: ["", "replayed/s", "live: sent to accepted p50 ms", "p99 ms"],
        rows: Object.keys(figures).map((name) => [
          name,
          middle(name, perSecond),
          middle(name, p50),
          middle(name, p99),
        ]),
      },
      ...ratioTable(ratios),
    ],
    figures: {
      eventsPerSecond: middle("replayAlone", perSecond),
      ...Object.fromEntries(Object.entries(ratios).map(([name, { median }]) => [name, rounded(median)])),
      spread: ratios,
      rounds: figures,
    },
  };
}
