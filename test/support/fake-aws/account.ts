import { ACCOUNT, type Json, REGION, resolver, type Template } from "./resolve-template.ts";

export interface DeployedFunction {
  name: string;
  /** The ARN of its role. */
  role: string;
  handler: string;
  description: string;
  memorySize: number;
  timeout: number;
  variables: Record<string, string>;
  zip: Buffer;
  modifiedAt: string;
}

interface StackEvent {
  id: string;
  type: string;
  logicalId: string;
  status: string;
}

/** What an AWS account holds after deployments: objects, one stack, functions, parameters. */
export class Account {
  readonly objects = new Map<string, { body: Buffer; headers: Record<string, string> }>();
  readonly functions = new Map<string, DeployedFunction>();
  /** SSM's, by name. */
  readonly parameters = new Map<string, string>();
  readonly stackName: string;
  template: Template | null = null;
  isProtected = false;
  events: StackEvent[] = [];
  #changeSet: Template | null = null;

  constructor(stackName: string) {
    this.stackName = stackName;
  }

  get stackId(): string {
    return `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${this.stackName}/1`;
  }

  proposeChange(template: Template): void {
    this.#changeSet = template;
  }

  /** What `CreateChangeSet` proposed becomes true, all of it at once. */
  executeChange(): void {
    const template = this.#changeSet;
    if (template === null) throw new Error("there is no change set");
    const action = this.template === null ? "CREATE" : "UPDATE";
    this.template = template;
    const resolve = resolver(template);
    // As CloudFormation does: whatever cannot be resolved fails the deployment.
    for (const { Properties } of Object.values(template.Resources)) resolve(Properties);
    for (const { Type, Properties = {} } of Object.values(template.Resources))
      if (Type === "AWS::Lambda::Function") this.#deploy(resolve(Properties) as Json);
    const event = (status: string) => ({
      id: `${this.events.length}-${status}`,
      type: "AWS::CloudFormation::Stack",
      logicalId: this.stackName,
      status,
    });
    this.events.unshift(event(`${action}_IN_PROGRESS`));
    this.events.unshift(event(`${action}_COMPLETE`));
  }

  outputs(): { key: string; value: string }[] {
    if (this.template === null) return [];
    const resolve = resolver(this.template);
    return Object.entries(this.template.Outputs ?? {}).map(([key, { Value }]) => ({
      key,
      value: String(resolve(Value)),
    }));
  }

  /** The secrets of SSM that a role may read, by name. */
  readableBy(role: string): string[] {
    const { template } = this;
    if (template === null) return [];
    const resolve = resolver(template);
    const name = role.split("/").at(-1);
    const statements = Object.values(template.Resources)
      .filter(({ Type, Properties }) => Type === "AWS::IAM::Role" && resolve(Properties?.RoleName) === name)
      .flatMap(
        ({ Properties }) => resolve(Properties?.Policies) as { PolicyDocument: { Statement: Json[] } }[],
      )
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    return statements
      .filter(({ Action, Effect }) => Effect === "Allow" && [Action].flat().includes("ssm:GetParameters"))
      .flatMap(({ Resource }) => [Resource].flat().map((arn) => `/${String(arn).split(":parameter/")[1]}`));
  }

  #deploy(properties: Json): void {
    const { S3Key } = properties.Code as { S3Key?: string };
    const zip = this.objects.get(S3Key ?? "")?.body;
    if (zip === undefined) throw new Error(`there is no object ${S3Key}`);
    const name = String(properties.FunctionName);
    const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, string> };
    this.functions.set(name, {
      name,
      role: String(properties.Role),
      handler: String(properties.Handler),
      description: String(properties.Description),
      memorySize: Number(properties.MemorySize),
      timeout: Number(properties.Timeout),
      variables: Variables,
      zip,
      modifiedAt: new Date().toISOString(),
    });
  }
}
