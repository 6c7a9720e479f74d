/**
 * `npm run lab -- aws`: the packaged stack in a stranger's AWS. `osls` deploys it into moto's server, each function
 * runs under Amazon's own emulator and client. Moto has neither schedules nor event source mappings nor an HTTP API that
 * answers: their events are made here. Exits with 1 on a failure. Needs what `npm test` needs, and python3, go, make,
 * cmake and a C++ compiler.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { createLogger } from "../../src/platform/log/log.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { readSeed, startCollectionService } from "../../src/sandbox/index.ts";
import { runInLab, say } from "../environment/run-lab.ts";
import { copyCheckout, lint, osls, startAccount } from "./account.ts";
import { installTools, tools } from "./tools.ts";
import { trial } from "./trial.ts";

await runInLab("aws", { durable: false }, async ({ folder: home, server }) => {
  await using ends = new AsyncDisposableStack();
  const folder = join(home, "checkout");
  ends.defer(() => rm(folder, { recursive: true, force: true }));
  await installTools();
  say(`tools: moto, cfn-lint, Amazon's emulator and client are in ${tools.folder}`);

  const createDatabase = async (name: string) => {
    const session = new pg.Client({ connectionString: server.url });
    await session.connect();
    await session.query(`create database ${name}`);
    await session.end();
    return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  };
  const seed = await readSeed();
  const apiKey = seed.apiKeys.find((key) => key.type === "Live")?.key ?? "";
  const collectionId =
    seed.collections.find(({ status, amount }) => status === "Active" && !amount)?.id ?? "";
  const service = await startCollectionService({
    databaseUrl: new Secret(await createDatabase("provider")),
    port: 0,
    log: createLogger({ level: "warn" }),
  });
  ends.defer(() => service.close());

  const account = await startAccount();
  ends.defer(account.stop);
  Object.assign(process.env, account.env);
  copyCheckout(folder);
  await osls(folder, ["package"], account.env);
  await lint(folder);
  say("package: cfn-lint finds nothing in the template");
  const provider = { url: service.url, apiKey, collectionId };
  try {
    for (const kind of ["standard", "fifo"] as const)
      await trial(kind, { folder, account, provider, createDatabase, say });
  } catch (error) {
    say(`red: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  say("green: every payment is one event");
  return true;
});
