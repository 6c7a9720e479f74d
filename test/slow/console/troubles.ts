import { randomUUID } from "node:crypto";
import { TcpProxy } from "../../faults/network/tcp-proxy.ts";
import { type OnCall, onCall } from "../../journeys/drill.ts";
import { emptyMonth } from "../../reconcile/month.ts";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../../sandbox/provider/service-fixture.ts";
import { runCli } from "../../support/cli-process.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { type Surroundings, startRelay, surroundings } from "../../support/relay.ts";
import { startRelayProcess } from "../../support/relay-process.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../../support/scripted-provider.ts";

/** Something that goes wrong with a relay that somebody watches. */
export interface Trouble {
  around: Surroundings;
  watch: OnCall;
  /** Where the console is read; the watched relay's own unless given. */
  consoleUrl?: string;
  strike(): Promise<unknown>;
  heal(): Promise<unknown>;
  /** What the console's first line, or the line below it, says after a minute and a quarter of an hour. */
  says: readonly [afterAMinute: RegExp, later: RegExp];
  /** The same of `status`, where it differs. */
  statusSays?: readonly [RegExp, RegExp];
  /** The alarm that people are told of, and the line of the metrics; null where there is none. */
  alarm: string | null;
  metric: string | null;
}

const both = (says: RegExp) => [says, says] as const;
const openIn = (alarm: string) => `invoice_relay_alarms_open{alarm="${alarm}"} 1`;
const NO_LISTS = { COLLECTION_IDS: "none" };

async function watched() {
  const around = await surroundings();
  return { around, watch: await onCall(around.environment(NO_LISTS)) };
}

/** A provider that answers all of 8 payments with this status, until it is well. */
async function badProvider(
  status: number,
  [alarm, title, later]: [alarm: string, title: string, later: string],
): Promise<Trouble> {
  const { around, watch } = await watched();
  const bad = { status, body: { status, message: "No", errors: [] } };
  let isWell = false;
  const answer =
    (id: string): Script =>
    (_request, response) => {
      const { status: code, body } = (isWell ? invoiceAnswer(id) : bad) as typeof bad;
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
  return {
    around,
    watch,
    async strike() {
      around.provider.otherwise(bad);
      for (let n = 0; n < 8; n += 1) {
        const id = randomUUID();
        around.provider.invoice(id, answer(id));
        await watch.relay.callback({ data: { id } });
      }
    },
    async heal() {
      isWell = true;
      around.provider.otherwise(NOT_FOUND);
    },
    says: [
      new RegExp(`${title} \\(default\\), and 8 payments wait, the oldest for 1 min`),
      new RegExp(`${title} \\(default\\), and 8 payments wait, the oldest for ${later}`),
    ],
    alarm,
    metric: openIn(alarm),
  };
}

/** What a drill goes through, each over a relay of its own. */
export const TROUBLES: Record<string, () => Promise<Trouble>> = {
  "the provider is down": () => badProvider(503, ["source_failing", "the provider fails", "1[5-9] min"]),

  "the key is refused": () =>
    badProvider(401, ["source_paused", "the provider refuses the key", "1[5-9] min"]),

  async "SNS refuses, beside 25 invoices in quarantine"() {
    const { around, service, environment } = await emptyMonth();
    const watch = await onCall(environment);
    const pay = async (fields: object) => {
      const id = await service.create({ ...fields });
      await service.control("POST", `/invoices/${id}/pay`);
      await watch.relay.callback({ data: { id } });
    };
    return {
      around,
      watch,
      async strike() {
        around.sns.addFault({ kind: "not-allowed", times: 1_000_000 });
        await pay({});
        for (let n = 0; n < 25; n += 1) await pay({ collectionId: FIXED_AMOUNT, amount: undefined });
      },
      async heal() {
        around.sns.clearFaults();
        await runCli(["resume", "publish", "--reason", "mended"], watch.environment);
        const dismiss = ["quarantine", "dismiss", "--all", "--yes", "--reason", "none of ours"];
        await runCli(dismiss, watch.environment);
      },
      says: both(/^A person is needed for 26 things\. .*?SNS refuses the topic .*25 invoices in quarantine/),
      statusSays: both(/26 things: SNS refuses the topic .*; 25 invoices in quarantine/),
      alarm: "topic_paused",
      metric: openIn("topic_paused"),
    };
  },

  async "Postgres is away"() {
    const around = await surroundings();
    const proxy = await TcpProxy.start(Number(new URL(around.databaseUrl).port));
    onTestFinished(() => proxy.close());
    const DATABASE_URL = proxy.through(around.databaseUrl);
    return {
      around,
      watch: await onCall(around.environment({ ...NO_LISTS, DATABASE_URL })),
      strike: async () => proxy.fault({ kind: "refuse" }),
      heal: async () => proxy.heal(),
      says: both(/^Not known since .*cannot read its database/),
      statusSays: both(/^The connection to the database broke/),
      alarm: "database_away",
      metric: openIn("database_away"),
    };
  },

  async "the relay is killed"() {
    const { around, watch } = await watched();
    await watch.stop();
    const relay = await startRelayProcess(watch.environment);
    return {
      around,
      watch,
      consoleUrl: relay.url,
      strike: () => relay.end("SIGKILL"),
      // Whoever looks has it open at the port that it had.
      heal: () => startRelay({ ...watch.environment, PORT: new URL(relay.url).port }),
      says: both(/^Not known since .*connection to the relay is lost/),
      statusSays: both(/no process confirms and publishes, and none takes callbacks: .* silent since/),
      alarm: null,
      metric: null,
    };
  },

  async "the worker is killed beside a receiver"() {
    const { around, watch } = await watched();
    await watch.stop();
    const worker = await startRelayProcess({ ...watch.environment, OPS_PORT: "0" }, "--workers-only");
    watch.relay = await startRelay(watch.environment, { http: true, workers: false });
    return {
      around,
      watch,
      strike: () => worker.end("SIGKILL"),
      heal: () => startRelay(watch.environment, { http: false, workers: true }),
      says: both(/no process confirms and publishes: .* silent since/),
      alarm: "silent_process",
      metric: openIn("silent_process"),
    };
  },

  async "a pause is forgotten"() {
    const { around, watch } = await watched();
    return {
      around,
      watch,
      strike: () => runCli(["pause", "confirm", "--reason", "drill"], watch.environment),
      heal: () => runCli(["resume", "confirm"], watch.environment),
      says: both(/asking the provider for source default is paused by .*does not end automatically/),
      alarm: "pause_standing",
      metric: openIn("pause_standing"),
    };
  },

  async "a gap is found by hand"() {
    const { around, service, environment } = await emptyMonth();
    const watch = await onCall(environment);
    const paidAt = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const invoices = [{ id: randomUUID(), createdAt: paidAt, paidAt }];
    await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    const [day = ""] = paidAt.split("T");
    const certify = () => runCli(["certify", "--from", day, "--to", day], watch.environment);
    return {
      around,
      watch,
      strike: certify,
      async heal() {
        await runCli(["reconcile"], watch.environment);
        return await certify();
      },
      says: both(/1 day of source default \(\S+\) is not proven: the newest certificate is not equal: 1 gap/),
      alarm: "certificate_gap",
      metric: 'invoice_relay_unproven_days{source="default"} 1',
    };
  },
};
