export type Json = Record<string, unknown>;

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Json; DeletionPolicy?: string }>;
  Outputs?: Record<string, { Value: unknown }>;
}

export const REGION = "eu-west-1";
export const ACCOUNT = "123456789012";

const PSEUDO: Record<string, string> = {
  "AWS::Partition": "aws",
  "AWS::Region": REGION,
  "AWS::AccountId": ACCOUNT,
  "AWS::URLSuffix": "amazonaws.com",
  "AWS::StackName": "stack",
};

const NAME_OF: Record<string, string> = {
  "AWS::IAM::Role": "RoleName",
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Logs::LogGroup": "LogGroupName",
};

/**
 * A template's values as CloudFormation would fill them in. @throws Error for a function that it does not
 * know.
 */
export function resolver(template: Template): (value: unknown) => unknown {
  const reference = (name: string): string => {
    const pseudo = PSEUDO[name];
    if (pseudo !== undefined) return pseudo;
    const { Type, Properties = {} } = resourceOf(name);
    if (Type === "AWS::SNS::Topic")
      return `arn:aws:sns:${REGION}:${ACCOUNT}:${String(resolve(Properties.TopicName ?? name))}`;
    if (Type === "AWS::SQS::Queue") return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
    return String(resolve(Properties[NAME_OF[Type] ?? ""] ?? name));
  };
  const attribute = (name: string, key: string): string => {
    const { Type, Properties = {} } = resourceOf(name);
    if (Type === "AWS::IAM::Role")
      return `arn:aws:iam::${ACCOUNT}:role/${String(resolve(Properties.RoleName))}`;
    return `arn:aws:${Type.split("::")[1]?.toLowerCase()}:${REGION}:${ACCOUNT}:${reference(name)}/${key}`;
  };
  const resourceOf = (name: string) => {
    const resource = template.Resources[name];
    if (resource === undefined) throw new Error(`Template error: there is no ${name}`);
    return resource;
  };

  const functions: Record<string, (given: never) => unknown> = {
    Ref: reference,
    "Fn::GetAtt": ([name, key]: [string, string]) => attribute(name, key),
    "Fn::Sub": (text: string) =>
      text.replaceAll(/\$\{([\w:]+)(?:\.(\w+))?\}/g, (_, name: string, key?: string) =>
        key === undefined ? reference(name) : attribute(name, key),
      ),
    "Fn::Join": ([separator, parts]: [string, unknown[]]) => parts.map(resolve).join(separator),
  };

  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const [only, ...others] = Object.entries(value);
    const known = only === undefined || others.length > 0 ? undefined : functions[only[0]];
    if (known !== undefined) return known(only?.[1] as never);
    if (others.length === 0 && only?.[0].startsWith("Fn::"))
      throw new Error(`Template error: ${only[0]} is not known here`);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve;
}
