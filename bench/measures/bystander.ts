import { hostileRequests } from "../harness/hostile-requests.ts";
import { interleave } from "../harness/interleave.ts";
import { startWarmRelay } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded } from "../harness/report.ts";
import { type Percentiles, percentilesOf, ratiosOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import type { StrangerCalls } from "../processes/stranger.ts";

/** What the bystander sends, honestly, and the stranger beside it. */
const BYSTANDER_PER_SECOND = 100;
const STRANGER_PER_SECOND = 20;

/** What a stranger may at most cost a bystander. */
const MOST = 2;

const ALONE = "nobody else";

interface Round {
  bystander: Percentiles;
  answered: number;
}

/**
 * A bystander's callbacks while a stranger sends each hostile request 20 times a second, against nobody
 * there.
 */
export async function bystander(stage: Stage, { rounds, ms }: BenchOptions): Promise<Report> {
  const database = await stage.createDatabase();
  const relay = await startWarmRelay(stage, database);
  const stranger = stage.child<StrangerCalls>("stranger");
  const { port } = relay;
  const measure = async (request: Buffer | null): Promise<Round> => {
    await stage.settleDisk();
    const pestering =
      request === null
        ? Promise.resolve({ answered: 0 })
        : stranger.call("pester", {
            ...{ port, ms, perSecond: STRANGER_PER_SECOND },
            request: request.toString("base64"),
          });
    const { sent } = await stage.pace({ port, ms, perSecond: BYSTANDER_PER_SECOND });
    const { answered } = await pestering;
    return { bystander: percentilesOf(sent.map((one) => one.answeredAt - one.sentAt)), answered };
  };
  const requests: [string, Buffer | null][] = [[ALONE, null], ...Object.entries(hostileRequests())];
  const figures = await interleave<Round>(
    Object.fromEntries(requests.map(([name, request]) => [name, () => measure(request)])),
    rounds,
  );
  await Promise.all([relay.end(), stranger.end()]);
  await database.drop();

  const column = (name: string, percentile: keyof Percentiles) =>
    (figures[name] ?? []).map((round) => round.bystander[percentile]);
  const results = requests.map(([name, request]) => {
    const median = (percentile: keyof Percentiles) => rounded(spreadOf(column(name, percentile)).median);
    const { min, max } = spreadOf(column(name, "p99"));
    return {
      name,
      bytes: request?.length ?? 0,
      ...{ p50: median("p50"), p95: median("p95"), p99: median("p99") },
      ...{ least: rounded(min), most: rounded(max) },
      ratio: rounded(spreadOf(ratiosOf(column(name, "p99"), column(ALONE, "p99"))).median),
    };
  });
  const worst = Math.max(...results.map(({ ratio }) => ratio));
  return {
    tables: [
      {
        title:
          "A bystander's callback sent to answered, ms, beside a stranger who sends this " +
          `${STRANGER_PER_SECOND} times a second`,
        header: ["", "bytes", "p50", "p95", "p99", "of a round", "p99 to nobody else's"],
        rows: results.map(({ name, bytes, p50, p95, p99, least, most, ratio }) => [
          ...[name, bytes, p50, p95, p99, `${least} to ${most}`, ratio],
        ]),
        note: `The worst ratio is ${worst}; ${MOST} is the most that is promised (G12).`,
      },
    ],
    figures: { rounds: figures },
  };
}
