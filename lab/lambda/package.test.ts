import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLine, measureLoad } from "../../ops/lambda/measure-load.ts";

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

/** What the queues, topics and keys are called in a role, resolved by hand. */
const named = (resource: unknown): string => {
  const text = JSON.stringify(resource);
  return text.replaceAll(/.*parameter\/invoice-relay\/example\/(\w+).*/g, "$1");
};

/** What `npm run package:lambda` makes of a stage: the template as JSON text. */
async function packageLambda(stage = "example"): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "invoice-relay-home-"));
  // No credentials, no profile, and nothing that answers for AWS.
  await execute("npm", ["run", "package:lambda", "--", "--stage", stage], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      AWS_EC2_METADATA_DISABLED: "true",
      HTTPS_PROXY: "http://127.0.0.1:9",
      https_proxy: "http://127.0.0.1:9",
    },
  });
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

  it("decides everything when it packages: a condition would compare constants (cfn-lint's W8003)", () => {
    expect(template).not.toHaveProperty("Conditions");
  });

  it.each(FUNCTIONS)(
    "%s has a role of its own, which may do only what is named, to what is named",
    (name) => {
      const { Role } = template.Resources[`${name}LambdaFunction`]?.Properties ?? {};
      const allowed = statementsOf(template, name).filter(({ Effect }) => Effect === "Allow");

      expect(Role).toEqual({ "Fn::GetAtt": [`${name}Role`, "Arn"] });
      for (const { Sid, Action, Resource } of allowed) {
        expect(
          [Action].flat().filter((action) => action.includes("*")),
          Sid,
        ).toEqual([]);
        if (Sid !== "LivesInTheVpc") expect(JSON.stringify(Resource), Sid).not.toContain('"*"');
      }
      // What knows no narrower resource is denied to the function's own code.
      const vpc = allowed.find(({ Sid }) => Sid === "LivesInTheVpc");
      const denied = statementsOf(template, name).find(({ Effect }) => Effect === "Deny");
      expect(denied?.Action).toEqual(vpc?.Action);
      expect(JSON.stringify(denied?.Condition)).toContain("lambda:SourceFunctionArn");
      expect(template.Resources[`${name}Role`]?.Properties?.ManagedPolicyArns).toBeUndefined();
    },
  );

  it.each<[string, string[], string[]]>([
    ["Receive", ["DATABASE_URL=DATABASE_URL_RECEIVER", "CALLBACK_TOKENS"], ["sqs:SendMessage ConfirmQueue"]],
    [
      "Confirm",
      ["DATABASE_URL=DATABASE_URL_WORKER", "COLLECTION_API_KEY"],
      [
        "sqs:ReceiveMessage ConfirmQueue",
        "sqs:DeleteMessage ConfirmQueue",
        "sqs:GetQueueAttributes ConfirmQueue",
        "sqs:SendMessage PublishQueue",
      ],
    ],
    [
      "Publish",
      ["DATABASE_URL=DATABASE_URL_WORKER"],
      [
        "sqs:ReceiveMessage PublishQueue",
        "sqs:DeleteMessage PublishQueue",
        "sqs:GetQueueAttributes PublishQueue",
        "sns:Publish EventTopic",
        "sns:Publish TestEventTopic",
        "kms:GenerateDataKey EventKey",
        "kms:Decrypt EventKey",
      ],
    ],
    [
      "Reconcile",
      ["DATABASE_URL=DATABASE_URL_WORKER", "COLLECTION_API_KEY"],
      ["sqs:SendMessage ConfirmQueue"],
    ],
    ["Certify", ["DATABASE_URL=DATABASE_URL_WORKER", "COLLECTION_API_KEY"], ["sqs:SendMessage ConfirmQueue"]],
    [
      "Replay",
      ["DATABASE_URL=DATABASE_URL_WORKER"],
      ["sqs:SendMessage ConfirmQueue", "sqs:SendMessage PublishQueue"],
    ],
    ["Retention", ["DATABASE_URL=DATABASE_URL_OWNER"], []],
    ["Migrate", ["DATABASE_URL=DATABASE_URL_OWNER"], []],
  ])("%s reads the secrets %j and may %j, nothing else", (name, secrets, rights) => {
    const statements = statementsOf(template, name).filter(({ Effect }) => Effect === "Allow");
    const secret = statements.find(({ Sid }) => Sid === "ReadsItsSecrets");
    expect(secret?.Action).toBe("ssm:GetParameters");
    expect([secret?.Resource].flat().map(named)).toEqual(secrets.map((one) => one.split("=").at(-1)));
    const environment = template.Resources[`${name}LambdaFunction`]?.Properties?.Environment as {
      Variables: Record<string, unknown>;
    };
    expect(environment.Variables.SECRET_SETTINGS).toBe(secrets.join(","));

    const common = ["WritesItsLog", "LivesInTheVpc", "ReadsItsSecrets"];
    const others = statements.filter(({ Sid }) => !common.includes(Sid));
    expect(
      others
        .flatMap(({ Action, Resource }) =>
          [Action]
            .flat()
            .flatMap((action) =>
              [Resource]
                .flat()
                .map(
                  (resource) =>
                    `${action} ${/(?:Ref|GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(resource))?.[1]}`,
                ),
            ),
        )
        .sort(),
    ).toEqual([...rights].sort());
  });

  it("holds no secret, only the path to them", () => {
    const variables = Object.values(template.Resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function")
      .flatMap(({ Properties = {} }) =>
        Object.keys((Properties.Environment as { Variables: object }).Variables),
      );

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

  it.each(FUNCTIONS)("tells when %s fails, and, where a schedule calls it, when nobody does", (name) => {
    const of = (metric: string) =>
      Object.values(template.Resources)
        .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
        .map(({ Properties = {} }) => Properties)
        .filter(({ MetricName, Dimensions }) => {
          const target = JSON.stringify(Dimensions ?? "");
          return MetricName === metric && target.includes(`"${name}LambdaFunction"`);
        });
    const isScheduled = Object.keys(template.Resources).some((key) =>
      key.startsWith(`${name}EventsRuleSchedule`),
    );
    expect(isScheduled).toBe(!["Receive", "Migrate"].includes(name));
    expect(of("Errors")).toHaveLength(1);
    expect(of("Invocations")).toHaveLength(isScheduled ? 1 : 0);
    for (const { TreatMissingData } of of("Invocations")) expect(TreatMissingData).toBe("breaching");
    for (const { AlarmActions } of of("Errors")) expect(AlarmActions).toEqual([{ Ref: "AlarmTopic" }]);
    // Lambda would repeat and keep what a schedule started for six hours.
    const config = template.Resources[`${name}LambdaEvConf`]?.Properties ?? null;
    if (!isScheduled) expect(config).toBeNull();
    else expect(Number(config?.MaximumEventAgeInSeconds)).toBeLessThanOrEqual(21_600);
  });

  it("tells when callbacks, confirm or publish are throttled, and when due work waits", () => {
    const alarms = Object.entries(template.Resources).flatMap(([key, { Type }]) =>
      Type === "AWS::CloudWatch::Alarm" ? [key] : [],
    );
    expect(alarms).toEqual(
      expect.arrayContaining([
        "CallbacksThrottled",
        "ConfirmIsThrottled",
        "PublishIsThrottled",
        "ConfirmWaits",
        "PublishWaits",
      ]),
    );
    expect(template.Resources.ConfirmBacklogFilter?.Properties?.FilterPattern).toBe(
      "{ $.backlog.confirmSeconds = * }",
    );
  });

  it("keeps topics, key and logs when the stack is deleted, or a resource is replaced", () => {
    for (const name of ["EventTopic", "TestEventTopic", "EventKey", "RelayLogs"])
      expect(template.Resources[name], name).toMatchObject({
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
      });
  });

  it("gives migrate an environment that can be deployed alone: no intrinsic function is in it", () => {
    const { Environment } = template.Resources.MigrateLambdaFunction?.Properties ?? {};
    const { Variables } = Environment as { Variables: Record<string, unknown> };
    expect(Object.values(Variables).map((value) => typeof value)).toEqual(
      Object.keys(Variables).map(() => "string"),
    );
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
