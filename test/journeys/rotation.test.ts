import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { grantRoles } from "../../src/database/roles.ts";
import { Secret } from "../../src/kit/secret.ts";
import { runCli } from "../support/cli-process.ts";
import { loginWith } from "../support/login.ts";
import { type Surroundings, startRelay, surroundings, type TestRelay } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../support/scripted-provider.ts";

// Each secret is replaced as docs/operations.md tells it, while payers pay.
const WAIT = { interval: 200 };
const OLD = "old-token-0123456789abcdef";
const NEW = "new-token-0123456789abcdef";

type Answer = Exclude<Script, (...given: never[]) => void>;
const REFUSED = { status: 401, body: { status: 401, message: "Unauthorized", errors: [] } };

type Environment = Record<string, string | undefined>;

/** A relay that takes callbacks all the while, and is replaced as a rolling restart does it. */
async function busyRelay(around: Surroundings, first: Environment, token: string) {
  const answers: number[] = [];
  let relay: TestRelay = await startRelay(first);
  /** Of the URLs that invoices were created with; each in turn. */
  let tokens = [token];
  let goesOn = true;
  const send = async (): Promise<void> => {
    for (let n = 0; goesOn; n += 1) {
      const id = randomUUID();
      around.provider.invoice(id, invoiceAnswer(id));
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
    url: () => relay.url,
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
        const subjects = around.sns
          .messages(around.topicArn)
          .map(({ message }) => JSON.parse(message).subject);
        expect(new Set(subjects).size).toBe(answers.length);
      }, WAIT);
    },
  };
}

describe("rotation while payers pay loses no callback and refuses none", () => {
  it("CALLBACK_TOKENS: the new one first, then the old one away", async () => {
    const around = await surroundings();
    const settings = (CALLBACK_TOKENS: string) =>
      around.environment({ COLLECTION_IDS: "none", CALLBACK_TOKENS });
    const relay = await busyRelay(around, settings(OLD), OLD);
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

  it("ADMIN_TOKENS: both are taken in between, and the old one's sessions end with it", async () => {
    const around = await surroundings();
    const [before, after] = [`ada:operate:${OLD}`, `ada-2:operate:${NEW}`];
    const settings = (ADMIN_TOKENS: string) => around.environment({ COLLECTION_IDS: "none", ADMIN_TOKENS });
    const relay = await busyRelay(around, settings(before), "test-token-0123456789abcdef");
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${relay.url()}/admin/v1/status`, { headers })).status;
    const by = (token: string) => ask({ authorization: `Bearer ${token}` });
    const signIn = async (token: string) => {
      const answer = await fetch(`${relay.url()}/admin/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
      expect(answer.status).toBe(200);
      return { cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] as string };
    };
    expect([await by(OLD), await by(NEW)]).toEqual([200, 401]);
    await relay.replace(settings(`${before},${after}`));
    expect([await by(OLD), await by(NEW)]).toEqual([200, 200]);
    const [old, young] = [await signIn(OLD), await signIn(NEW)];
    expect([await ask(old), await ask(young)]).toEqual([200, 200]);
    await relay.replace(settings(after));
    expect([await by(OLD), await by(NEW)]).toEqual([401, 200]);
    expect([await ask(old), await ask(young)]).toEqual([401, 200]);
    await relay.lostNothing();
  });

  it("COLLECTION_API_KEY: what the old one is refused for waits for the new one", async () => {
    const around = await surroundings();
    let taken = "old-key";
    const { invoice, otherwise } = around.provider;
    const guarded =
      (answer: Answer): Script =>
      (request, response) => {
        const { status, body } = request.headers["x-api-key"] === taken ? answer : REFUSED;
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      };
    around.provider.invoice = (id, script) => invoice(id, guarded(script as Answer));
    otherwise(guarded(NOT_FOUND as Answer));
    const settings = (COLLECTION_API_KEY: string) =>
      around.environment({ COLLECTION_IDS: "none", COLLECTION_API_KEY });
    const relay = await busyRelay(around, settings("old-key"), "test-token-0123456789abcdef");
    taken = "new-key";
    const refused = () => around.query("select name from alarm where name = 'source_paused'");
    await vi.waitFor(async () => expect(await refused()).toHaveLength(1), WAIT);
    await relay.more();
    await relay.replace(settings("new-key"));
    await relay.lostNothing();
    await vi.waitFor(
      async () => expect(await around.query("select name from alarm where cleared_at is null")).toEqual([]),
      WAIT,
    );
  });

  it("DATABASE_URL: a second login with the same roles, then the old login is dropped", async () => {
    const around = await surroundings();
    const owner = connect(new Secret(around.databaseUrl), { max: 1 });
    await grantRoles(owner.db);
    await owner.close();
    const old = await loginWith(around.databaseUrl, ["receiver", "worker"]);
    const young = await loginWith(around.databaseUrl, ["receiver", "worker"]);
    const settings = (DATABASE_URL: string) => around.environment({ COLLECTION_IDS: "none", DATABASE_URL });
    const relay = await busyRelay(around, settings(old), "test-token-0123456789abcdef");
    await relay.replace(settings(young));
    await around.query(`drop role ${new URL(old).username}`);
    await relay.more();
    await relay.lostNothing();
  });
});
