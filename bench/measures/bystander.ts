import { hostileRequests } from "../harness/hostile-requests.ts";
import { interleave } from "../harness/interleave.ts";
import { startWarmRelay } from "../harness/measure-latency.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, tell } from "../harness/report.ts";
import { type Percentiles, percentilesOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import type { StrangerCalls } from "../processes/stranger.ts";

/** What the bystander sends, honestly, and the stranger beside it. */
const BYSTANDER_PER_SECOND = 100;
const STRANGER_PER_SECOND = 20;

/** What a stranger may at most cost a bystander. */
const MOST = 2;

const ALONE = "nobody else";

interface Round {
  /** How long each of the bystander's callbacks took, in ms. */
  took: number[];
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
    const { sent, failed } = await stage.generator.call("pace", {
      ...{ port, ms, perSecond: BYSTANDER_PER_SECOND },
    });
    if (failed > 0) throw new Error(`${failed} of the bystander's callbacks were not answered 2xx`);
    const { answered } = await pestering;
    return { took: sent.map((one) => one.answeredAt - one.sentAt), answered };
  };
  const requests: [string, Buffer | null][] = [[ALONE, null], ...Object.entries(hostileRequests())];
  const figures = await interleave<Round>(
    Object.fromEntries(requests.map(([name, request]) => [name, () => measure(request)])),
    rounds,
    tell,
  );
  await relay.call("stop");
  await Promise.all([relay.end(), stranger.end()]);
  await database.drop();

  // Over all rounds: the p99 of one is its fifth slowest callback, which one slow write to the disk decides.
  const overall = (name: string): Percentiles =>
    percentilesOf((figures[name] ?? []).flatMap((round) => round.took));
  const inRounds = (name: string) =>
    spreadOf((figures[name] ?? []).map((round) => percentilesOf(round.took).p99));
  const alone = overall(ALONE).p99;
  const results = requests.map(([name, request]) => {
    const { p50, p95, p99 } = overall(name);
    const { min, max } = inRounds(name);
    return {
      name,
      bytes: request?.length ?? 0,
      ...{ p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) },
      ...{ least: rounded(min), most: rounded(max), ratio: rounded(p99 / alone) },
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
    figures: { worst, results },
  };
}
