import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { publishRoots, takeDueRoots } from "../../src/app/publish-roots.ts";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { readSettings, SERVE_REQUIRES } from "../../src/kit/settings.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { readRoot } from "../../src/ledger/proofs.ts";
import { Signer } from "../../src/signing/signed.ts";
import { readKeys } from "../../src/signing/signing-keys.ts";
import { readKeyFile, verifySigned } from "../../src/signing/verify-signed.ts";
import { takenApart } from "../journeys/interleaved-world.ts";
import { newSigningKey } from "../signing/signing-key.ts";
import { runCli } from "../support/cli-process.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { surroundings } from "../support/relay.ts";

const KEY = newSigningKey();

async function world(topic: string) {
  const around = await surroundings();
  const settings = readSettings(around.environment({ LEDGER_SIGNING_KEY: KEY }), SERVE_REQUIRES);
  const { db, close } = connect(new Secret(around.databaseUrl));
  onTestFinished(close);
  const topicArn = await createLocalTopic(around.sns.url, topic);
  await around.query(
    "insert into audit_entry (actor, action, subject, detail) values ('cli:ada', 'pause', 'x', '{}')",
  );
  await buildLedger(db);
  const context = { db, settings, signer: Signer.of(settings) };
  const publish = async (to = topicArn) => await publishRoots(to, await takeDueRoots(db), context);
  const sent = async () => {
    const answer = (await (await fetch(`${around.sns.url}/_control/messages`)).json()) as {
      messages: { message: string; topicArn: string }[];
    };
    return answer.messages
      .filter((one) => one.topicArn === topicArn)
      .map(({ message }) => JSON.parse(message));
  };
  return { ...around, db, topicArn, context, publish, sent };
}

describe("the ledger's roots", () => {
  it.each(["roots", "roots.fifo"])(
    "go to the topic %s once an hour, signed, whoever is first",
    async (name) => {
      const given = await world(name);
      await Promise.all([given.publish(), given.publish(), given.publish()]);
      const [root, ...others] = await given.sent();
      expect(others).toEqual([]);
      const tree = await readRoot(given.db, "*");
      expect(root).toMatchObject({
        version: "1",
        kind: "root",
        source: "*",
        size: "1",
        root: tree?.root.toString("hex"),
      });
      const keys = readKeyFile(JSON.stringify(await readKeys(given.db)));
      expect(verifySigned(root, { kinds: ["root"], source: "*", keys }).state).toBe("signed");
      expect(verifySigned(root, { kinds: ["certificate"], keys }).says).toContain("It is a ledger's root");
      await given.query("update published_root set published_at = published_at - interval '1 hour'");
      await given.publish();
      expect(await given.sent()).toHaveLength(2);
    },
  );

  it("are tried again after a minute where the topic does not take them, and the reason is told", async () => {
    const given = await world("roots");
    await expect(given.publish(`${given.topicArn}-gone`)).rejects.toThrow(
      /LEDGER_TOPIC_ARN took no root of \*: /,
    );
    await given.publish();
    expect(await given.sent()).toEqual([]);
    await given.query("update published_root set claimed_until = now() - interval '1 second'");
    await given.publish();
    expect(await given.sent()).toHaveLength(1);
  });

  it("of other trees go out where SNS refuses one", async () => {
    const given = await world("roots");
    await addPayments(given, 1, { from: new Date() });
    await buildLedger(given.db);
    given.sns.addFault({ kind: "fail-entries", senderFault: true, matching: '"source":"*"' });
    await expect(given.publish()).rejects.toThrow(/no root of \*: /);
    expect(await given.sent()).toMatchObject([{ source: "default" }]);
  });
});

it("a topic that only a person can mend is told at once, whoever looks next, and one that is throttled is not (G13)", async () => {
  const around = await surroundings();
  const relays = [
    await takenApart(around, { LEDGER_TOPIC_ARN: around.topicArn }),
    await takenApart(around, { LEDGER_TOPIC_ARN: around.topicArn }),
  ] as const;
  const without = await takenApart(around);
  await addPayments(around, 1);
  await buildLedger(without.db);
  const open = () => around.query("select subject, detail from alarm where cleared_at is null");
  const says = async () => (await runCli(["status"], around.environment())).stdout;
  const again = () => around.query("update published_root set claimed_until = now() - interval '1 second'");

  around.sns.addFault({ kind: "throttle" });
  await relays[0].passes.roots();
  // The other finds none due: it knows nothing of the topic.
  await relays[1].passes.roots();
  expect(await around.query("select failures from failing_chore")).toEqual([{ failures: 1 }]);
  expect(await open()).toEqual([]);
  for (const kind of ["topic-missing", "refuse-credentials"] as const) {
    await again();
    around.sns.addFault({ kind });
    await relays[0].passes.roots();
    await relays[1].passes.roots();
    expect(await open()).toEqual([
      {
        subject: "published_roots",
        detail: expect.stringMatching(/LEDGER_TOPIC_ARN took no root of .*: (NotFound|InvalidClientTokenId)/),
      },
    ]);
    expect(await says()).toMatch(/A person is needed: .*maintenance fails/);
  }
  await again();
  await relays[1].passes.roots();
  expect(await open()).toEqual([]);

  // Whoever takes the setting away has decided about it, too.
  await around.query("update published_root set published_at = published_at - interval '1 hour'");
  around.sns.addFault({ kind: "topic-missing" });
  await relays[0].passes.roots();
  expect(await open()).toHaveLength(1);
  await without.passes.roots();
  expect(await open()).toEqual([]);
});
