import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Template, templateFaults } from "../support/fake-aws/template-faults.ts";
import { packageLambda, root, statementsOf } from "./lambda-template.ts";

const TOPIC = "arn:aws:sns:eu-west-1:210987654321:ledger-roots";

it("a stage that signs and publishes the ledger's roots gets the schedule, the rights and the settings for it", async () => {
  const stages = join(root, "ops/lambda/stages");
  const example = await readFile(join(stages, "example.yml"), "utf8");
  const own = join(stages, "ledgered.yml");
  onTestFinished(() => rm(own));
  await writeFile(
    own,
    example
      .replace("signingSecrets: []", "signingSecrets: [LEDGER_SIGNING_KEY]")
      .replace("settings:", `settings:\n  LEDGER_TOPIC_ARN: ${TOPIC}`),
  );
  const template: Template = JSON.parse(await packageLambda("ledgered"));
  expect(templateFaults(template)).toEqual([]);

  const environmentOf = (name: string) => {
    const { Environment } = template.Resources[`${name}LambdaFunction`]?.Properties ?? {};
    return (Environment as { Variables: Record<string, string> }).Variables;
  };
  const secretsOf = (name: string) => environmentOf(name).SECRET_SETTINGS?.split(",") ?? [];
  const schedulesOf = (name: string) =>
    Object.values(template.Resources).flatMap(({ Type, Properties }) =>
      Type === "AWS::Events::Rule" && JSON.stringify(Properties?.Targets).includes(`"${name}LambdaFunction"`)
        ? [[Properties?.ScheduleExpression, Properties?.State]]
        : [],
    );
  // Leaves are taken in and checked with `reconcile`, roots published with `certify`.
  expect(schedulesOf("Reconcile")).toEqual([["rate(1 minute)", "ENABLED"]]);
  expect(schedulesOf("Certify")).toEqual([["rate(1 hour)", "ENABLED"]]);
  expect(environmentOf("Certify").LEDGER_TOPIC_ARN).toBe(TOPIC);

  const names = ["Receive", "Confirm", "Publish", "Reconcile", "Certify", "Replay", "Retention", "Migrate"];
  const allowed = (name: string, action: string) =>
    statementsOf(template, name).filter(
      ({ Effect, Action }) => Effect === "Allow" && [Action].flat().includes(action),
    );
  const mayRead = names.filter((name) =>
    JSON.stringify(allowed(name, "ssm:GetParameters")).includes("/LEDGER_SIGNING_KEY"),
  );
  expect(mayRead).toEqual(["Certify"]);
  expect(names.filter((name) => secretsOf(name).includes("LEDGER_SIGNING_KEY"))).toEqual(mayRead);
  const mayPublish = names.filter((name) => JSON.stringify(allowed(name, "sns:Publish")).includes(TOPIC));
  expect(mayPublish).toEqual(["Certify"]);
});
