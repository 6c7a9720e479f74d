import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLine, measureLoad } from "../../deploy/lambda/measure-load.ts";
import { expectGolden } from "../../test/support/golden.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

interface Template {
  Resources: Record<string, Resource>;
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
    const { size } = await stat(join(root, ".esbuild/.build/src/runtime/lambda/receive.cjs"));

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

  // No condition (cfn-lint's W8003); no path, route or query of a request, where the token stands; no more at a
  // time than a db.t4g.micro has connections for, about 80; topics that only the relay publishes to, encrypted;
  // alarms by the relay's own lines; what is kept when the stack is deleted; and what calls a function again.
  it("protects, bounds, logs and keeps what is read in review", async () => {
    const { Resources: all } = template;
    const some = (field: string) => (of: string) => `${of}: ${JSON.stringify(all[of]?.Properties?.[field])}`;
    const each = (field: string, of: (name: string) => string) =>
      FUNCTIONS.map((name) => some(field)(of(name)));
    const kept = Object.entries(all).filter(([, one]) => JSON.stringify(one).includes('"Retain"'));
    const lines = [
      `conditions: ${"Conditions" in template}`,
      some("AccessLogSettings")("HttpApiStage"),
      ...each("ReservedConcurrentExecutions", (name) => `${name}LambdaFunction`),
      ...each("LoggingConfig", (name) => `${name}LambdaFunction`),
      ...each("ScheduleExpression", (name) => `${name}EventsRuleSchedule1`),
      ...each("MaximumEventAgeInSeconds", (name) => `${name}LambdaEvConf`),
      ...["ScalingConfig", "BatchSize"].flatMap((field) =>
        ["Confirm", "Publish"].map((name) => some(field)(`${name}EventSourceMappingSQS${name}Queue`)),
      ),
      ...["KmsMasterKeyId", "SignatureVersion"].flatMap((field) =>
        ["EventTopic", "TestEventTopic"].map(some(field)),
      ),
      some("PolicyDocument")("EventTopicPolicy"),
      ...["RelayAlarmFilter", "ConfirmBacklogFilter"].map(some("FilterPattern")),
      some("RoleName")("MigrateRole"),
      `kept: ${kept
        .map(([name, one]) => `${name} ${one.DeletionPolicy} ${one.UpdateReplacePolicy}`)
        .sort()
        .join(", ")}`,
    ];
    await expectGolden("stack", `${lines.join("\n")}\n`);
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
  });

  it("gives migrate an environment that can be deployed alone: no intrinsic function is in it", () => {
    const values = Object.values(variablesOf(template, "Migrate"));
    expect(values).not.toEqual([]);
    expect(values.filter((value) => typeof value !== "string")).toEqual([]);
  });

  it("loads the HTTP function in at most four times what express and pg alone take", () => {
    const times = measureLoad(join(root, ".esbuild/.build/src/runtime/lambda/receive.cjs"));
    process.stdout.write(`${loadLine(times)}\n`);

    // CPU time: what else the machine does has no part in it. A third of the bundle is the AWS SDK, which the
    // runtime would load from many files.
    expect(times.receive.cpuMs / times.bare.cpuMs).toBeLessThan(4);
  });
});
