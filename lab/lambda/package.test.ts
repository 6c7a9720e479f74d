import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLine, measureLoad } from "../../ops/lambda/measure-load.ts";
import { expectGolden } from "../../test/support/golden.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

interface Statement {
  Sid: string;
  Effect: "Allow" | "Deny";
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, unknown>;
}

interface Environment {
  Variables: Record<string, unknown>;
}

/** An action and each of its resources: a parameter by its name, others by their logical ids. */
const rightsTo = (action: string, resources: unknown) =>
  [resources].flat().map((resource) => {
    const [, parameter, logical] =
      /parameter\/invoice-relay\/example\/(\w+)|(?:Ref|GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(resource)) ??
      [];
    return `  ${action} ${parameter ?? logical}`;
  });

/** What `npm run package:lambda` makes of the example's stage: the template as JSON text. */
async function packageLambda(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "invoice-relay-home-"));
  // No credentials, no profile, and nothing that answers for AWS.
  const proxies = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };
  const env = { PATH: process.env.PATH ?? "", HOME: home, AWS_EC2_METADATA_DISABLED: "true", ...proxies };
  await execute("npm", ["run", "package:lambda", "--", "--stage", "example"], { cwd: root, env });
  await rm(home, { recursive: true, force: true });
  return await readFile(join(root, ".serverless/cloudformation-template-update-stack.json"), "utf8");
}

/** What a function's role says. */
function statementsOf(template: Template, name: string): Statement[] {
  const properties = template.Resources[`${name}Role`]?.Properties as {
    Policies: { PolicyDocument: { Statement: Statement[] } }[];
  };
  return properties.Policies.flatMap((policy) => policy.PolicyDocument.Statement);
}

const variablesOf = (template: Template, name: string) =>
  (template.Resources[`${name}LambdaFunction`]?.Properties?.Environment as Environment | undefined)
    ?.Variables ?? {};

const FUNCTIONS = ["Receive", "Confirm", "Publish", "Reconcile", "Certify", "Replay", "Retention", "Migrate"];

describe("npm run package:lambda", () => {
  let template: Template;
  let text = "";

  beforeAll(async () => {
    text = await packageLambda();
    template = JSON.parse(text);
  });

  it("works offline and without credentials, and the HTTP function's bundle is below 2.4 MB", async () => {
    const { size } = await stat(join(root, ".esbuild/.build/src/app/lambda/receive.cjs"));

    expect(size).toBeLessThan(2_400_000);
  });

  it("has nothing that cfn-lint objects to, whose warnings count", async () => {
    const python = join(tmpdir(), "invoice-relay-cfn-lint");
    const lint = join(python, "bin/cfn-lint");
    if (!existsSync(lint)) {
      await execute("python3", ["-m", "venv", python]);
      await execute(join(python, "bin/pip"), ["install", "--quiet", "cfn-lint"]);
    }
    const templates = ["create", "update"].map((kind) =>
      join(root, `.serverless/cloudformation-template-${kind}-stack.json`),
    );
    expect((await execute(lint, templates)).stdout).toBe("");
  });

  it("decides everything when it packages: a condition would compare constants (cfn-lint's W8003)", () => {
    expect(template).not.toHaveProperty("Conditions");
  });

  it.each(FUNCTIONS)("%s has a role of its own, without a wildcard", (name) => {
    const { Role } = template.Resources[`${name}LambdaFunction`]?.Properties ?? {};
    const allowed = statementsOf(template, name).filter(({ Effect }) => Effect === "Allow");
    expect(Role).toEqual({ "Fn::GetAtt": [`${name}Role`, "Arn"] });
    expect(template.Resources[`${name}Role`]?.Properties?.ManagedPolicyArns).toBeUndefined();
    expect(allowed.flatMap(({ Action }) => Action).filter((action) => action.includes("*"))).toEqual([]);
    const others = allowed.filter(({ Sid }) => Sid !== "LivesInTheVpc");
    expect(JSON.stringify(others.map(({ Resource }) => Resource))).not.toContain('"*"');
    // The actions that know no narrower resource are denied to the function's own code.
    const vpc = allowed.find(({ Sid }) => Sid === "LivesInTheVpc");
    const denied = statementsOf(template, name).find(({ Effect }) => Effect === "Deny");
    expect(denied?.Action).toEqual(vpc?.Action);
    expect(JSON.stringify(denied?.Condition)).toContain("lambda:SourceFunctionArn");
  });

  it("each function reads its own secrets, and may do what it needs, and nothing else", async () => {
    const common = ["WritesItsLog", "LivesInTheVpc", "ReadsItsSecrets"];
    const lines = FUNCTIONS.flatMap((name) => {
      const allowed = statementsOf(template, name).filter(({ Effect }) => Effect === "Allow");
      const secrets = allowed.filter(({ Sid }) => Sid === "ReadsItsSecrets");
      const rights = allowed
        .filter(({ Sid }) => !common.includes(Sid))
        .flatMap(({ Action, Resource }) => [Action].flat().flatMap((action) => rightsTo(action, Resource)));
      return [
        `${name}: ${variablesOf(template, name).SECRET_SETTINGS}`,
        ...secrets.flatMap(({ Action, Resource }) =>
          [Action].flat().flatMap((one) => rightsTo(one, Resource)),
        ),
        ...rights.sort(),
      ];
    });
    await expectGolden("rights", `${lines.join("\n")}\n`);
  });

  it("holds no secret, only the path to them", () => {
    const variables = FUNCTIONS.flatMap((name) => Object.keys(variablesOf(template, name)));
    for (const name of ["DATABASE_URL", "CALLBACK_TOKENS", "COLLECTION_API_KEY", "ADMIN_TOKENS"])
      expect(variables).not.toContain(name);
    expect(variables).toContain("SETTINGS_PATH");
    expect(text).not.toContain("{{resolve:");
  });

  it("logs no path, route or query of a request: the token stands there", () => {
    const settings = template.Resources.HttpApiStage?.Properties?.AccessLogSettings as { Format: string };

    expect(settings.Format).toContain("$context.status");
    expect(settings.Format).not.toMatch(/path|routeKey|query|resource/i);
  });

  it("bounds what a flood can start, to what the database has connections for", () => {
    const concurrency = (name: string) =>
      Number(template.Resources[`${name}LambdaFunction`]?.Properties?.ReservedConcurrentExecutions);
    const connections = FUNCTIONS.reduce(
      (sum, name) => sum + concurrency(name) * (name === "Receive" ? 1 : 2),
      0,
    );

    // A db.t4g.micro takes about 80.
    expect(connections).toBe(62);
    for (const name of ["Confirm", "Publish"]) {
      const { ScalingConfig, BatchSize } =
        template.Resources[`${name}EventSourceMappingSQS${name}Queue`]?.Properties ?? {};
      expect({ ScalingConfig, BatchSize }).toEqual({
        ScalingConfig: { MaximumConcurrency: 2 },
        BatchSize: 10,
      });
      expect(concurrency(name)).toBeGreaterThan(2);
    }
  });

  it("encrypts the topics, lets only the relay publish, and signs with SHA-256", () => {
    for (const name of ["EventTopic", "TestEventTopic"])
      expect(template.Resources[name]?.Properties).toMatchObject({
        KmsMasterKeyId: { Ref: "EventKey" },
        SignatureVersion: "2",
      });
    const { PolicyDocument } = template.Resources.EventTopicPolicy?.Properties ?? {};
    const { Statement } = PolicyDocument as { Statement: Statement[] };
    const only = Statement.find(({ Sid }) => Sid === "OnlyTheRelayPublishes");
    expect(only).toMatchObject({ Effect: "Deny", Action: "sns:Publish" });
    expect(JSON.stringify(only?.Condition)).toBe(
      '{"ArnNotEquals":{"aws:PrincipalArn":{"Fn::GetAtt":["PublishRole","Arn"]}}}',
    );
  });

  it("raises an alarm for each alarm line of the relay", () => {
    expect(template.Resources.RelayAlarmFilter?.Properties?.FilterPattern).toBe(
      '{ ($.level = "error") && ($.alarm = "*") }',
    );
    for (const name of FUNCTIONS) {
      expect(template.Resources[`${name}LambdaFunction`]?.Properties?.LoggingConfig, name).toMatchObject({
        LogGroup: "/invoice-relay/example",
        LogFormat: "Text",
      });
    }
  });

  it("tells when a function fails, where a schedule calls it when nobody does, and when work waits", async () => {
    const alarms = Object.entries(template.Resources).flatMap(([key, { Type, Properties = {} }]) => {
      if (Type !== "AWS::CloudWatch::Alarm") return [];
      const { MetricName, TreatMissingData, AlarmActions } = Properties;
      return [
        `${key}: ${MetricName}, missing data: ${TreatMissingData}, tells ${JSON.stringify(AlarmActions)}`,
      ];
    });
    await expectGolden("alarms", `${alarms.sort().join("\n")}\n`);
    expect(template.Resources.ConfirmBacklogFilter?.Properties?.FilterPattern).toBe(
      "{ $.backlog.confirmSeconds = * }",
    );
    // Lambda would repeat and keep what a schedule started for six hours.
    for (const name of FUNCTIONS) {
      const isScheduled = `${name}EventsRuleSchedule1` in template.Resources;
      const config = template.Resources[`${name}LambdaEvConf`]?.Properties ?? null;
      expect(isScheduled, name).toBe(!["Receive", "Migrate"].includes(name));
      if (!isScheduled) expect(config).toBeNull();
      else expect(Number(config?.MaximumEventAgeInSeconds)).toBeLessThanOrEqual(21_600);
    }
  });

  it("keeps topics, key and logs when the stack is deleted, or a resource is replaced", () => {
    for (const name of ["EventTopic", "TestEventTopic", "EventKey", "RelayLogs"])
      expect(template.Resources[name], name).toMatchObject({
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
      });
  });

  it("gives migrate an environment that can be deployed alone: no intrinsic function is in it", () => {
    const values = Object.values(variablesOf(template, "Migrate"));
    expect(values).not.toEqual([]);
    expect(values.filter((value) => typeof value !== "string")).toEqual([]);
    expect(template.Resources.MigrateRole?.Properties?.RoleName).toBe(
      "invoice-relay-example-eu-west-1-migrate",
    );
  });

  it("loads the HTTP function in at most four times what express and pg alone take", () => {
    const times = measureLoad(join(root, ".esbuild/.build/src/app/lambda/receive.cjs"));
    process.stdout.write(`${loadLine(times)}\n`);

    // CPU time: what else the machine does has no part in it. A third of the bundle is the AWS SDK, which the
    // runtime would load from many files.
    expect(times.receive.cpuMs / times.bare.cpuMs).toBeLessThan(4);
  });
});
