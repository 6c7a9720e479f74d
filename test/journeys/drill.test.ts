import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { TcpProxy } from "../faults/network/tcp-proxy.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { type Surroundings, startRelay, surroundings, type TestRelay } from "../support/relay.ts";
import { runInProcess } from "../support/run-command.ts";
import { invoiceAnswer, type Script } from "../support/scripted-provider.ts";

const WAIT = { timeout: 40_000, interval: 200 };
const ADMIN = "drill-token-0123456789abcdef";
const RUNBOOK = readFileSync(resolve(import.meta.dirname, "../../docs/operations.md"), "utf8");
const BROKEN = { status: 503, body: { status: 503, message: "Down", errors: [] } };
const REFUSED = { status: 401, body: { status: 401, message: "Unauthorized", errors: [] } };

interface Drill {
  alarm: string | null;
  /** What status says, and the metric that shows it. */
  says: RegExp;
  metric: string;
  strike(given: Given): Promise<unknown> | undefined;
  heal(given: Given): Promise<unknown> | undefined;
}

interface Given {
  around: Surroundings;
  relay: TestRelay;
  environment: Record<string, string | undefined>;
}

const pay = async ({ around, relay }: Given, count: number, answers: (id: string) => Script[]) => {
  for (let n = 0; n < count; n += 1) {
    const id = randomUUID();
    around.provider.invoice(id, ...answers(id));
    await relay.callback({ data: { id } });
  }
};

let isDown = false;
const answering =
  (bad: typeof BROKEN) =>
  (id: string): Script[] => [
    (_request, response) => {
      const { status, body } = (isDown ? bad : invoiceAnswer(id)) as typeof BROKEN;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    },
  ];

const provider = (bad: typeof BROKEN) => ({
  strike: (given: Given) => {
    isDown = true;
    given.around.provider.otherwise(bad);
    return pay(given, 8, answering(bad));
  },
  async heal({ around }: Given) {
    isDown = false;
    around.provider.otherwise({
      status: 404,
      body: { status: 404, message: "Invoice with the given Id does not exist", errors: [] },
    });
  },
});

const DRILLS: Record<string, Drill> = {
  "the provider is down": {
    alarm: "source_failing",
    says: /source_failing/,
    metric: 'invoice_relay_alarms_open{alarm="source_failing"} 1',
    ...provider(BROKEN),
  },
  "the key is refused": {
    alarm: "source_paused",
    says: /asking the provider for source default is refused/,
    metric: 'invoice_relay_upstream_state{work="confirm",upstream="default",state="refused"} 1',
    ...provider(REFUSED),
  },
  "SNS refuses": {
    alarm: "topic_paused",
    says: /sending to arn:\S+ is refused/,
    metric: 'invoice_relay_alarms_open{alarm="topic_paused"} 1',
    strike: (given) => {
      given.around.sns.addFault({ kind: "not-allowed", times: 1_000_000 });
      return pay(given, 1, (id) => [invoiceAnswer(id)]);
    },
    async heal({ around, environment }) {
      around.sns.clearFaults();
      await runInProcess(["resume", "publish", "--reason", "mended"], environment);
    },
  },
  "a pause is forgotten": {
    alarm: null,
    says: /is paused by cli:\S+ since .*\(drill\), and it does not end by itself/,
    metric: 'invoice_relay_upstream_state{work="confirm",upstream="default",state="paused"} 1',
    strike: ({ environment }) => runInProcess(["pause", "confirm", "--reason", "drill"], environment),
    heal: ({ environment }) => runInProcess(["resume", "confirm"], environment),
  },
};

it.each(Object.entries(DRILLS))(
  "on call, %s: status, alarm, metric and runbook say so, and it clears",
  { timeout: 120_000 },
  async (_, drill) => {
    const around = await surroundings();
    const receiver = await startAlarmReceiver();
    const proxy = await TcpProxy.start(Number(new URL(around.databaseUrl).port));
    onTestFinished(() => proxy.close());
    const environment = around.environment({
      COLLECTION_IDS: "none",
      ADMIN_TOKENS: ADMIN,
      ALARM_WEBHOOK_URL: receiver.url,
    });
    const relay = await startRelay(environment);
    const given = { around, relay, environment };
    const status = () => runInProcess(["status"], environment);
    const page = async () => await (await fetch(`${relay.opsUrl}/metrics`)).text();
    await vi.waitFor(async () => expect((await status()).code).toBe(0), WAIT);

    await drill.strike(given);
    await vi.waitFor(async () => {
      const { code, stdout } = await status();
      expect(code).toBe(1);
      expect(stdout).toMatch(drill.says);
      expect(await page()).toContain(drill.metric);
    }, WAIT);
    const admin = await fetch(`${relay.opsUrl}/admin/v1/status`, {
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    expect(await admin.json()).toMatchObject({
      needsPerson: true,
      sentence: expect.stringContaining("A person is needed"),
    });
    if (drill.alarm !== null) {
      await vi.waitFor(
        () => expect(receiver.messages.map(({ text }) => text).join()).toContain(`#${drill.alarm}`),
        WAIT,
      );
      expect(RUNBOOK).toMatch(new RegExp(`^### ${drill.alarm}\\n\\n[^#]+\\*\\*Do:\\*\\*`, "m"));
    }

    await drill.heal(given);
    await vi.waitFor(async () => {
      const { code, stdout } = await status();
      expect(stdout).toMatch(/^All is well/);
      expect(code).toBe(0);
      expect(await page()).not.toContain(drill.metric);
    }, WAIT);
    if (drill.alarm !== null)
      await vi.waitFor(
        () => expect(receiver.messages.map(({ text }) => text).join()).toContain(`over: ${drill.alarm}`),
        WAIT,
      );
  },
);
