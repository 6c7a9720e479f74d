import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalTopic } from "../../src/app/dev-topics.ts";
import { publishRoots } from "../../src/app/publish-roots.ts";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { readSettings, SERVE_REQUIRES } from "../../src/kit/settings.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { readRoot } from "../../src/ledger/proofs.ts";
import { Signer } from "../../src/signing/signed.ts";
import { readKeys } from "../../src/signing/signing-keys.ts";
import { readKeyFile, verifySigned } from "../../src/signing/verify-signed.ts";
import { newSigningKey } from "../signing/signing-key.ts";
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
  const sent = async () => {
    const answer = (await (await fetch(`${around.sns.url}/_control/messages`)).json()) as {
      messages: { message: string; topicArn: string }[];
    };
    return answer.messages
      .filter((one) => one.topicArn === topicArn)
      .map(({ message }) => JSON.parse(message));
  };
  return { ...around, db, topicArn, context, publish: () => publishRoots(topicArn, context), sent };
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
    await expect(publishRoots(`${given.topicArn}-gone`, given.context)).rejects.toThrow(
      /LEDGER_TOPIC_ARN took no root of \*: /,
    );
    await given.publish();
    expect(await given.sent()).toEqual([]);
    await given.query("update published_root set claimed_until = now() - interval '1 second'");
    await given.publish();
    expect(await given.sent()).toHaveLength(1);
  });
});
