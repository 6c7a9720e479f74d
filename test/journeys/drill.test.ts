import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { type Surroundings, surroundings } from "../support/relay.ts";
import { runInProcess } from "../support/run-command.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../support/scripted-provider.ts";
import { clears, hasRunbook, isTold, type OnCall, onCall, saysSo } from "./drill.ts";

// Postgres away, a missed sweep and a gap have drills of their own beside this one.
const BROKEN = { status: 503, body: { status: 503, message: "Down", errors: [] } };
const REFUSED = { status: 401, body: { status: 401, message: "Unauthorized", errors: [] } };

interface Given {
  around: Surroundings;
  watch: OnCall;
}

interface Drill {
  /** null: the relay raises none, Prometheus does. */
  alarm: string | null;
  heading: string;
  says: RegExp;
  metric: string;
  strike(given: Given): Promise<unknown>;
  heal(given: Given): Promise<unknown>;
}

const pay = async ({ around, watch }: Given, count: number, answers: (id: string) => Script) => {
  for (let n = 0; n < count; n += 1) {
    const id = randomUUID();
    around.provider.invoice(id, answers(id));
    expect((await watch.relay.callback({ data: { id } })).status).toBe(200);
  }
};

/** A provider that answers everything so, until it is healed. */
function provider(bad: typeof BROKEN): Pick<Drill, "strike" | "heal"> {
  let isDown = true;
  const answering =
    (id: string): Script =>
    (_request, response) => {
      const { status, body } = (isDown ? bad : invoiceAnswer(id)) as typeof BROKEN;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
  return {
    strike: (given) => {
      given.around.provider.otherwise(bad);
      return pay(given, 8, answering);
    },
    async heal({ around }) {
      isDown = false;
      around.provider.otherwise(NOT_FOUND);
    },
  };
}

const DRILLS: Record<string, Drill> = {
  "the provider is down": {
    alarm: "source_failing",
    heading: "source_failing",
    says: /source_failing/,
    metric: 'invoice_relay_alarms_open{alarm="source_failing"} 1',
    ...provider(BROKEN),
  },
  "the key is refused": {
    alarm: "source_paused",
    heading: "source_paused",
    says: /asking the provider for source default is refused/,
    metric: 'invoice_relay_upstream_state{work="confirm",upstream="default",state="refused"} 1',
    ...provider(REFUSED),
  },
  "SNS refuses": {
    alarm: "topic_paused",
    heading: "topic_paused",
    says: /sending to arn:\S+ is refused/,
    metric: 'invoice_relay_alarms_open{alarm="topic_paused"} 1',
    strike: (given) => {
      given.around.sns.addFault({ kind: "not-allowed", times: 1_000_000 });
      return pay(given, 1, invoiceAnswer);
    },
    async heal({ around, watch }) {
      around.sns.clearFaults();
      await runInProcess(["resume", "publish", "--reason", "mended"], watch.environment);
    },
  },
  "a pause is forgotten": {
    alarm: null,
    heading: "InvoiceRelayPausedForLong",
    says: /is paused by cli:\S+ since .*\(drill\), and it does not end automatically/,
    metric: 'invoice_relay_upstream_state{work="confirm",upstream="default",state="paused"} 1',
    strike: ({ watch }) => runInProcess(["pause", "confirm", "--reason", "drill"], watch.environment),
    heal: ({ watch }) => runInProcess(["resume", "confirm"], watch.environment),
  },
};

it.each(Object.entries(DRILLS))(
  "on call, %s: status, alarm, metric and runbook say so, and it clears",
  async (_, { alarm, heading, says, metric, strike, heal }) => {
    const around = await surroundings();
    const watch = await onCall(around.environment({ COLLECTION_IDS: "none" }));
    await strike({ around, watch });
    await saysSo(watch, says, metric);
    hasRunbook(heading);
    if (alarm !== null) await isTold(watch, alarm);
    await heal({ around, watch });
    await clears(watch, alarm, metric);
  },
);
