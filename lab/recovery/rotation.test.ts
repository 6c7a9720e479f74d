import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { grantRoles } from "../../src/database/roles.ts";
import { Secret } from "../../src/kit/secret.ts";
import { runCli } from "../../test/support/cli-process.ts";
import { loginWith } from "../../test/support/login.ts";
import { type Harness, startHarness, startRelay, type TestRelay } from "../../test/support/relay.ts";
import { invoiceAnswer } from "../../test/support/scripted-provider.ts";

// Each secret is replaced as docs/operations.md tells it, while payers pay.
const WAIT = { interval: 200 };
const OLD = "old-token-0123456789abcdef";
const NEW = "new-token-0123456789abcdef";

type Environment = Record<string, string | undefined>;

/** A relay that takes callbacks all the while, and is replaced as a rolling restart does it. */
async function busyRelay(harness: Harness, first: Environment, token: string) {
  const answers: number[] = [];
  let relay: TestRelay = await startRelay(first);
  /** Of the URLs that invoices were created with; each in turn. */
  let tokens = [token];
  let goesOn = true;
  const send = async (): Promise<void> => {
    for (let n = 0; goesOn; n += 1) {
      const id = randomUUID();
      harness.provider.invoice(id, invoiceAnswer(id));
      const answer = await relay.callback(
        { data: { id } },
        { path: `/callbacks/${tokens[n % tokens.length]}` },
      );
      answers.push(answer.status);
      await answer.arrayBuffer();
    }
  };
  const sending = send();
  const more = async () => {
    const before = answers.length;
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 10), WAIT);
  };
  const halt = async () => {
    goesOn = false;
    await sending;
  };
  onTestFinished(halt);
  await more();
  return {
    more,
    callback: (body: unknown, path: string) => relay.callback(body, { path }),
    /** Invoices of these tokens are paid from now on. */
    async paid(now: string[]) {
      tokens = now;
      await more();
    },
    /** The new process takes over, then the old one ends. */
    async replace(environment: Environment) {
      const old = relay;
      relay = await startRelay(environment);
      await more();
      await old.stop();
      await more();
    },
    /** No callback was refused, and each has its event on the topic. */
    async lostNothing() {
      await halt();
      expect(new Set(answers)).toEqual(new Set([200]));
      await vi.waitFor(() => {
        const subjects = harness.sns
          .messages(harness.topicArn)
          .map(({ message }) => JSON.parse(message).subject);
        expect(new Set(subjects).size).toBe(answers.length);
      }, WAIT);
    },
  };
}

describe("rotation while payers pay loses no callback and refuses none", () => {
  it("CALLBACK_TOKENS: the new one first, then the old one away", async () => {
    const harness = await startHarness();
    const settings = (CALLBACK_TOKENS: string) =>
      harness.environment({ COLLECTION_IDS: "none", CALLBACK_TOKENS });
    const relay = await busyRelay(harness, settings(OLD), OLD);
    await relay.replace(settings(`${NEW},${OLD}`));
    const { stdout } = await runCli(["callback-url"], settings(`${NEW},${OLD}`));
    expect(
      stdout
        .split("\n")
        .slice(0, 2)
        .map((url) => url.split("/").at(-1)),
    ).toEqual([NEW, OLD]);
    await relay.paid([NEW, OLD]);
    // All invoices that were made with the old one are settled.
    await relay.paid([NEW]);
    await relay.replace(settings(NEW));
    expect((await relay.callback({ data: { id: randomUUID() } }, `/callbacks/${OLD}`)).status).toBe(404);
    await relay.lostNothing();
  });

  it("DATABASE_URL: a second login with the same roles, then the old login is dropped", async () => {
    const harness = await startHarness();
    const owner = connect(new Secret(harness.databaseUrl), { max: 1 });
    await grantRoles(owner.db);
    await owner.close();
    const old = await loginWith(harness.databaseUrl, ["receiver", "worker"]);
    const young = await loginWith(harness.databaseUrl, ["receiver", "worker"]);
    const settings = (DATABASE_URL: string) => harness.environment({ COLLECTION_IDS: "none", DATABASE_URL });
    const relay = await busyRelay(harness, settings(old), "test-token-0123456789abcdef");
    await relay.replace(settings(young));
    await harness.query(`drop role ${new URL(old).username}`);
    await relay.more();
    await relay.lostNothing();
  });
});
