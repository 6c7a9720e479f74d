import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { retryDead } from "../../src/operate/decide-undelivered.ts";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { openDatabase } from "../support/log-rows.ts";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { confirmation, openAlarms } from "./asking-fixture.ts";

const alarmNames = async (around: Surroundings) => (await openAlarms(around)).map(({ name }) => name).sort();

const WAITS_FOR_ITS_TYPE = {
  state: "due",
  attempt: expect.toSatisfy((steps: number) => steps > 0),
  verdict: "pending",
  last_error: expect.stringContaining("neither Live nor Test"),
};

/** The last step of its ladder is due; nothing is changed while it is asked about. */
async function dies(around: Surroundings, id: string): Promise<void> {
  await eventually(
    async () => {
      await around.query(
        "update confirmation set attempt = 8, due_at = now() where invoice_id = $1 and state = 'due'",
        [id],
      );
      return await confirmation(around, id);
    },
    toMatchObject({ state: "dead", attempt: 8 }),
  );
}

describe("a paid invoice whose type is neither Live nor Test", () => {
  it.each([["Production"], [""], [null]])(
    "%j is not published anywhere: asked on the ladder, then a dead letter that says why (G10)",
    async (type) => {
      const around = await surroundings();
      const id = randomUUID();
      around.provider.invoice(id, invoiceAnswer(id, { type }));
      const relay = await startRelay(around.environment({ SNS_TEST_TOPIC_ARN: around.testTopicArn }));
      await relay.callback({ data: { id } });
      await eventually(() => confirmation(around, id), toMatchObject(WAITS_FOR_ITS_TYPE));
      expect(await openAlarms(around)).toMatchObject([{ name: "invoice_anomaly", subject: id }]);
      expect(await around.query("select status, type from invoice")).toEqual([{ status: "Paid", type }]);
      await dies(around, id);
      const [, dead] = (await openAlarms(around)).toSorted((a, b) => (a.name < b.name ? 1 : -1));
      expect(dead).toMatchObject({
        name: "confirmation_dead",
        detail: expect.stringMatching(
          /^Given up after 8 answers: .*neither Live nor Test.*Ask the provider to correct it\.$/,
        ),
      });
      expect(await around.query("select times from alarm where name = 'invoice_anomaly'")).toEqual([
        { times: 1 },
      ]);
      expect(await around.query("select 1 from event")).toEqual([]);
      expect(around.sns.messages()).toEqual([]);
    },
  );

  it.each([["Live"], ["Test"]])(
    "is healed by asking again, once the provider says %s: published there, the alarms closed (G13)",
    async (type) => {
      const around = await surroundings();
      const id = randomUUID();
      around.provider.invoice(id, invoiceAnswer(id, { type: null }));
      const relay = await startRelay(around.environment({ SNS_TEST_TOPIC_ARN: around.testTopicArn }));
      await relay.callback({ data: { id } });
      await eventually(() => confirmation(around, id), toMatchObject(WAITS_FOR_ITS_TYPE));
      await dies(around, id);
      // Whatever date it puts on its correction.
      around.provider.invoice(id, invoiceAnswer(id, { type, dateModified: "2026-10-31T00:00:00Z" }));
      const db = openDatabase(around.databaseUrl);
      await retryDead({ db, actor: "cli:test", selection: { ids: [id] } });
      const topicArn = type === "Live" ? around.topicArn : around.testTopicArn;
      await eventually(
        () => around.query("select topic_arn from publication"),
        toEqual([{ topic_arn: topicArn }]),
      );
      expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "paid" });
      expect(await around.query("select type from invoice")).toEqual([{ type }]);
      expect(await alarmNames(around)).toEqual([]);
    },
  );

  it("while its event is out already stays paid, and is told", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id), invoiceAnswer(id, { type: null }));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await eventually(
      () => around.query("select topic_arn from publication"),
      toEqual([{ topic_arn: around.topicArn }]),
    );
    await relay.callback({ data: { id } });
    await eventually(() => alarmNames(around), toEqual(["invoice_anomaly"]));
    expect(await confirmation(around, id)).toMatchObject({
      state: "done",
      verdict: "paid",
      last_error: null,
    });
    expect(around.sns.messages()).toHaveLength(1);
  });
});
