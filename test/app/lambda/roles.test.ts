import { expect, it, onTestFinished } from "vitest";
import { connect } from "../../../src/database/connect.ts";
import { grantRoles } from "../../../src/database/roles.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { makePartitions } from "../../../src/receive/log/partitions.ts";
import { loginWith } from "../../support/login.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, scheduleEvent, topicEvent } from "./payloads.ts";

const bundles = useBundles();

it("each function does its work as the narrowest database role", async () => {
  const stack = await lambdaStack(bundles);
  const { db, close } = connect(new Secret(stack.databaseUrl), { max: 1 });
  onTestFinished(close);
  await makePartitions(db);
  await grantRoles(db);
  const id = stack.provider.paid();

  const receive = stack.container("receive", {
    DATABASE_URL: await loginWith(stack.databaseUrl, ["receiver"]),
  });
  expect(await receive.invoke(callbackEvent(id))).toMatchObject({ statusCode: 200 });
  const worker = { DATABASE_URL: await loginWith(stack.databaseUrl, ["worker"]) };
  for (const name of ["confirm", "publish", "reconcile", "certify", "replay"]) {
    const container = stack.container(name, worker);
    // None reads its event: whatever wakes it will do.
    for (const event of [scheduleEvent, topicEvent("wake up")])
      expect(await container.invoke(event), name).toBeNull();
    expect(container.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    await container.kill();
  }
  await receive.kill();
  expect(stack.sns.messages(stack.topicArn)).toHaveLength(1);
});
