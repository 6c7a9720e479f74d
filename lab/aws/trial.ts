import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import pg from "pg";
import { FUNCTIONS, scheduleEvent } from "../../test/runtime/lambda/payloads.ts";
import { osls, type startAccount, writeStage } from "./account.ts";
import { type RunningFunction, startFunction } from "./functions.ts";
import { startGateway } from "./gateway.ts";
import { until } from "./programs.ts";
import { mapQueue } from "./queue-mapping.ts";

export interface Lab {
  folder: string;
  account: Awaited<ReturnType<typeof startAccount>>;
  provider: { url: string; apiKey: string; collectionId: string };
  createDatabase(name: string): Promise<string>;
  say(line: string): void;
}

type Name = (typeof FUNCTIONS)[number];

/** Deploys the stack with one kind of topic, and sends twenty payments through it. @throws Error of what failed */
export async function trial(kind: "standard" | "fifo", lab: Lab): Promise<void> {
  const { folder, account, provider, createDatabase } = lab;
  const stage = `lab-${kind}`;
  const say = (line: string) => lab.say(`${kind}: ${line}`);
  await using ends = new AsyncDisposableStack();

  writeStage(folder, stage, {
    topicKind: kind,
    settings: { COLLECTION_API_URL: provider.url, COLLECTION_IDS: provider.collectionId },
  });
  await osls(folder, ["deploy", "--stage", stage], account.env);
  const token = randomBytes(16).toString("hex");
  const database = new URL(await createDatabase(`relay_${kind}`));
  const sessions = new pg.Pool({ connectionString: database.href, max: 1 });
  ends.defer(() => sessions.end());
  const secrets = {
    DATABASE_URL: database.href,
    COLLECTION_API_KEY: provider.apiKey,
    CALLBACK_TOKENS: token,
  };
  const ssm = new SSMClient();
  for (const [name, Value] of Object.entries(secrets))
    await ssm.send(
      new PutParameterCommand({ Name: `/invoice-relay/${stage}/${name}`, Value, Type: "SecureString" }),
    );
  const deployed = new Map<Name, Awaited<ReturnType<typeof account.deployed>>>();
  for (const name of [...FUNCTIONS, "migrate"])
    deployed.set(name, await account.deployed(`invoice-relay-${stage}-${name}`));
  say(`deployed: ${deployed.size} functions in moto's Lambda, secrets in its SSM`);

  const functions = new Map<Name, RunningFunction>();
  for (const [name, settings] of deployed) {
    const home = join(folder, stage, name);
    await mkdir(home, { recursive: true });
    const zip = join(folder, `.serverless/${name}.zip`);
    const running = await startFunction(settings, { zip, home, env: account.env });
    ends.defer(running.stop);
    functions.set(name, running);
  }
  const run = (name: Name) => functions.get(name) as RunningFunction;
  const { migrations } = await run("migrate").invoke<{ migrations: string[] }>({});
  say(`migrated: ${migrations.length} migrations`);

  const { Variables } = deployed.get("receive")?.Environment ?? { Variables: {} };
  const { CONFIRM_QUEUE_URL, PUBLISH_QUEUE_URL } = Variables;
  const gateway = await startGateway(run("receive"));
  ends.defer(gateway.close);
  const invoiceIds: string[] = [];
  /** Has invoices paid at the provider, which calls back unless told not to. */
  const pay = async (count: number, payment: object = {}) => {
    const callBackUrl = `${gateway.url}/callbacks/${token}/order`;
    const { ids } = await post<{ ids: string[] }>(`${provider.url}/_control/invoices`, {
      collectionId: provider.collectionId,
      invoices: Array.from({ length: count }, () => ({ callBackUrl })),
    });
    for (const id of ids) await post(`${provider.url}/_control/invoices/${id}/pay`, payment);
    invoiceIds.push(...ids);
  };
  const published = (count: number) =>
    until(`${count} events`, async () => {
      const { rows } = await sessions.query("select count(*)::int as n from publication");
      return rows[0].n >= count;
    });

  const mapAll = () => [
    mapQueue(CONFIRM_QUEUE_URL, run("confirm")),
    mapQueue(PUBLISH_QUEUE_URL, run("publish")),
  ];
  let mappings = mapAll();
  const stopMappings = () => Promise.all(mappings.map((one) => one.stop()));
  ends.defer(async () => void (await stopMappings().catch(() => undefined)));
  await pay(15);
  await published(15);
  await stopMappings();
  say(`15 callbacks are 15 events, by ${mappings.map((one) => one.wakeUps()).join(" and ")} wake-ups`);

  await pay(5);
  await until("20 answers", async () => gateway.statuses.length === 20);
  await Promise.all(mappings.map((one) => one.lose()));
  await run("confirm").invoke(scheduleEvent);
  await Promise.all(mappings.map((one) => one.lose()));
  await run("publish").invoke(scheduleEvent);
  await published(20);
  if (gateway.statuses.some((status) => status !== 200)) throw new Error(gateway.statuses.join());
  say("5 callbacks whose wake-ups were lost are events 16 to 20, by schedule; all were answered 200");

  mappings = mapAll();
  await pay(1, { copies: 0 });
  await run("reconcile").invoke(scheduleEvent);
  await published(21);
  await stopMappings();
  say("a payment whose callback never came is event 21, by the schedule of reconcile");
  for (const name of ["certify", "replay", "retention"] as const) await run(name).invoke(scheduleEvent);
  say("certify, replay and retention ran by schedule");

  const { rows } = await sessions.query(
    "select (select count(*) from event)::int as events, count(distinct event_id)::int as accepted from publication",
  );
  const { events, accepted } = rows[0];
  say(`${events} events, ${accepted} of them accepted by SNS, of ${invoiceIds.length} payments`);
  if (events !== 21 || accepted !== 21) throw new Error("21 were due");
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
