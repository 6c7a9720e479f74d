import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { relayMigrations } from "../../migrations/relay.ts";
import { startContainer } from "../../test/app/lambda/container.ts";
import { readZip } from "../../test/books/read-zip.ts";
import { createEmptyTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { Account, type DeployedFunction } from "../../test/support/fake-aws/account.ts";
import { type FakeAws, keyOfFunction, startFakeAws } from "../../test/support/fake-aws/start-fake-aws.ts";
import { TIMEOUT_MS } from "../../test/support/timeout-ms.ts";

// Every command of docs/deploy-lambda.md, run as it stands there, against an endpoint that answers for AWS:
// the real osls, the real bundle, its invocation on a real Postgres.

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

const documented = [
  ...readFileSync(join(root, "docs/deploy-lambda.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm),
]
  .flatMap(([, block = ""]) => block.split("\n"))
  .map((line) => line.replace(/ +#.*$/, "").trim())
  .filter((line) => /^npx osls |^npm run package:lambda/.test(line));

const account = new Account("invoice-relay-prod");
const migrations = Object.keys(relayMigrations);
let folder = "";
let database: TestDatabase;
let aws: FakeAws;

/**
 * Where the code of an invocation is unpacked: below node_modules, so that what the runtime brings is found.
 */
let unpacked = "";

async function invoke({ name, handler, variables, zip }: DeployedFunction, event: unknown): Promise<unknown> {
  const home = mkdtempSync(join(unpacked, "code-"));
  for (const [file, content] of readZip(zip)) {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), content);
  }
  const container = startContainer(join(home, handler), {
    ...variables,
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: keyOfFunction(name),
    AWS_LAMBDA_FUNCTION_NAME: name,
  });
  return await container.invoke(event);
}

async function run(command: string): Promise<string> {
  const running = execute("sh", ["-c", command], {
    cwd: folder,
    timeout: 2 * TIMEOUT_MS,
    env: {
      PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`,
      HOME: folder,
      AWS_ENDPOINT_URL: aws.url,
      AWS_ACCESS_KEY_ID: "deployer",
      AWS_SECRET_ACCESS_KEY: "local",
      SLS_AWS_MONITORING_FREQUENCY: "20",
    },
  });
  // `osls invoke` takes what a pipe holds for the event.
  running.child.stdin?.end();
  const { stdout, stderr } = await running;
  return `${stdout}${stderr}`;
}

const stageFile = () => join(folder, "ops/lambda/stages/prod.yml");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "invoice-relay-lambda-"));
  for (const part of ["package.json", "serverless.yml", "tsconfig.json", "ops", "src", "migrations"])
    cpSync(join(root, part), join(folder, basename(part)), { recursive: true });
  for (const part of ["node_modules", "tools"]) symlinkSync(join(root, part), join(folder, part));
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  unpacked = mkdtempSync(join(root, "node_modules/.cache/lambda-commands-"));
  cpSync(join(folder, "ops/lambda/stages/example.yml"), stageFile());
  database = await createEmptyTestDatabase();
  for (const part of ["OWNER", "RECEIVER", "WORKER"])
    account.parameters.set(`/invoice-relay/prod/DATABASE_URL_${part}`, database.url);
  aws = await startFakeAws(account, invoke);
});

afterAll(async () => {
  await aws.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(unpacked, { recursive: true, force: true });
});

describe("the commands of docs/deploy-lambda.md", () => {
  it("are these", () => {
    expect(documented).toEqual([
      "npm run package:lambda -- --stage prod",
      "npx osls deploy --stage prod",
      "npx osls invoke --function migrate --stage prod",
      "npx osls deploy function --function migrate --stage prod",
      "npx osls invoke --function migrate --stage prod",
      "npx osls deploy --stage prod",
      "npx osls deploy --stage prod",
      "npx osls info --verbose --stage prod",
    ]);
  });

  it("package without asking AWS anything", async () => {
    await run(documented[0] ?? "");
    expect(aws.asked).toEqual([]);
  });

  it("deploy the stack, and protect it from being deleted by mistake", async () => {
    await run(documented[1] ?? "");
    expect(account.isProtected).toBe(true);
    expect([...account.functions.keys()].sort()).toEqual(
      ["certify", "confirm", "migrate", "publish", "receive", "reconcile", "replay", "retention"].map(
        (name) => `invoice-relay-prod-${name}`,
      ),
    );
  });

  it("migrate, with the secret that this function's role may read", async () => {
    const said = await run(documented[2] ?? "");
    expect(JSON.parse(said)).toMatchObject({ migrations, schema: "current" });
    const { role = "" } = account.functions.get("invoice-relay-prod-migrate") ?? {};
    expect(account.readableBy(role)).toEqual(["/invoice-relay/prod/DATABASE_URL_OWNER"]);
  });

  it("update: the new code and settings of migrate go there first, then it migrates, then all the rest", async () => {
    const file = "0999_added";
    writeFileSync(
      join(folder, `migrations/relay/${file}.ts`),
      'import { type Kysely, sql } from "kysely";\nexport const up = (db: Kysely<unknown>) => sql`create table added (id int)`.execute(db);\n',
    );
    appendFileSync(
      join(folder, "migrations/relay.ts"),
      `import * as added from "./relay/${file}.ts";\nObject.assign(relayMigrations, { "${file}": added });\n`,
    );
    const stage = parse(readFileSync(stageFile(), "utf8"));
    writeFileSync(stageFile(), stringify({ ...stage, settings: { ...stage.settings, LOG_LEVEL: "debug" } }));
    const before = account.functions.get("invoice-relay-prod-receive")?.modifiedAt;

    await run(documented[3] ?? "");
    expect(account.functions.get("invoice-relay-prod-migrate")?.variables.LOG_LEVEL).toBe("debug");
    expect(account.functions.get("invoice-relay-prod-receive")?.modifiedAt).toBe(before);
    expect(JSON.parse(await run(documented[4] ?? ""))).toMatchObject({
      migrations: [file],
      schema: "current",
    });

    await run(documented[5] ?? "");
    expect(account.functions.get("invoice-relay-prod-receive")?.variables.LOG_LEVEL).toBe("debug");
  });

  it("go back: the version before replaces the new one, on the schema as that left it", async () => {
    cpSync(join(root, "migrations/relay.ts"), join(folder, "migrations/relay.ts"));
    cpSync(join(folder, "ops/lambda/stages/example.yml"), stageFile());
    await run(documented[6] ?? "");
    expect(account.functions.get("invoice-relay-prod-receive")?.variables.LOG_LEVEL).not.toBe("debug");
    expect(JSON.parse(await run(documented[2] ?? ""))).toMatchObject({ migrations: [], schema: "ahead" });
  });

  it("print what the next steps need: the API's address and the topics", async () => {
    const said = await run(documented[7] ?? "");
    expect(said).toMatch(/https:\/\/\S+execute-api\.eu-west-1\.amazonaws\.com/);
    expect(said).toContain("EventTopicArn: arn:aws:sns:eu-west-1:123456789012:invoice-relay-prod\n");
    expect(said).toContain("TestEventTopicArn: arn:aws:sns:eu-west-1:123456789012:invoice-relay-prod-test\n");
  });
});

describe("a stage", () => {
  const refused = async (stage: string, changes: object = {}, name = stage): Promise<string> => {
    const file = join(folder, `ops/lambda/stages/${name}.yml`);
    const example = parse(readFileSync(join(root, "ops/lambda/stages/example.yml"), "utf8"));
    writeFileSync(file, stringify({ ...example, ...changes }));
    onTestFinished(() => rmSync(file));
    const failure: { stdout?: string; stderr?: string } = await run(`npx osls package --stage ${stage}`).then(
      () => ({ stdout: "it was packaged" }),
      (error) => error,
    );
    return `${failure.stdout}${failure.stderr}`;
  };

  it.each([
    ["Prod", "2 to 20 lower-case letters"],
    ["a-name-that-is-much-too-long", "2 to 20 lower-case letters"],
    ["live-test", "should not end in -test"],
  ])("%s is refused: its name would not do", async (stage, says) => {
    expect(await refused(stage)).toContain(says);
  });

  it("without a file is told which one to make", async () => {
    expect(await refused("nowhere", {}, "elsewhere")).toContain("ops/lambda/stages/nowhere.yml is missing");
  });

  it("is told all that is wrong at once, and no secret may stand in it", async () => {
    const said = await refused("wrong", {
      region: "Frankfurt",
      subnetIds: [],
      alarmMail: "x@example.com",
      alarmEmail: undefined,
      callbackSecrets: ["HMAC"],
      settings: {
        COLLECTION_API_URL: "ftp://x",
        CALLBACK_HMAC_SECRETS: "hush-hush-0123456789",
        PUBLIC_URL: "https://x.example.com",
        LOG_LEVL: "info",
      },
    });
    for (const line of [
      "region should be a region such as eu-west-1",
      "subnetIds should be a list of subnets",
      "alarmMail is no key of a stage",
      "alarmEmail should be an e-mail address",
      "callbackSecrets should be a list of names among CALLBACK_HMAC_SECRETS",
      "settings.COLLECTION_API_URL should",
      "settings.CALLBACK_HMAC_SECRETS is a secret: put it into SSM",
      "settings.PUBLIC_URL is made by the stack itself",
      "settings.LOG_LEVL is no setting",
      "settings.COLLECTION_IDS is missing",
    ])
      expect(said).toContain(line);
    expect(said).not.toContain("hush-hush");
    expect(said).not.toContain("    at ");
  });
});
