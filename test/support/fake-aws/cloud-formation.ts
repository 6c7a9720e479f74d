import type { Account } from "./account.ts";
import type { Template } from "./resolve-template.ts";
import { templateFaults } from "./template-faults.ts";

/** An answer of AWS' Query protocol, or its error. */
export type Answer = { status?: number; xml: string };

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const tag = (name: string, value: string | boolean) => `<${name}>${escaped(String(value))}</${name}>`;
export const fault = (code: string, message: string): Answer => ({
  status: 400,
  xml: `<ErrorResponse><Error><Type>Sender</Type>${tag("Code", code)}${tag("Message", message)}</Error></ErrorResponse>`,
});
export const answer = (action: string, content = ""): Answer => ({
  xml: `<${action}Response><${action}Result>${content}</${action}Result></${action}Response>`,
});

/**
 * CloudFormation, as far as `osls` uses it: one stack, change sets, a template held against AWS'
 * specification.
 */
export function cloudFormation(account: Account, fields: URLSearchParams): Answer {
  const action = fields.get("Action") ?? "";
  const { stackName, stackId } = account;
  const missing = () => fault("ValidationError", `Stack with id ${stackName} does not exist`);
  switch (action) {
    case "ValidateTemplate":
    case "CreateChangeSet": {
      const template = templateOf(account, fields);
      const faults = templateFaults(template as Parameters<typeof templateFaults>[0]);
      if (faults.length > 0) return fault("ValidationError", faults.join("; "));
      if (action === "CreateChangeSet") {
        if (!fields.toString().includes("CAPABILITY_NAMED_IAM"))
          return fault("InsufficientCapabilitiesException", "Requires capabilities : [CAPABILITY_NAMED_IAM]");
        account.proposeChange(template);
      }
      return answer(action, tag("Id", "change") + tag("StackId", stackId));
    }
    case "DescribeChangeSet":
      return answer(
        action,
        `${tag("Status", "CREATE_COMPLETE")}${tag("ExecutionStatus", "AVAILABLE")}${tag("StackId", stackId)}<Changes><member><Type>Resource</Type></member></Changes>`,
      );
    case "ExecuteChangeSet":
      account.executeChange();
      return answer(action);
    case "DescribeStackEvents":
      return answer(
        action,
        `<StackEvents>${account.events
          .map(
            ({ id, type, logicalId, status }) =>
              `<member>${tag("EventId", id)}${tag("StackName", stackName)}${tag("ResourceType", type)}${tag("LogicalResourceId", logicalId)}${tag("ResourceStatus", status)}</member>`,
          )
          .join("")}</StackEvents>`,
      );
    case "DescribeStacks":
      if (account.template === null) return missing();
      return answer(
        action,
        `<Stacks><member>${tag("StackName", stackName)}${tag("StackId", stackId)}${tag("StackStatus", "UPDATE_COMPLETE")}${tag("EnableTerminationProtection", account.isProtected)}<Outputs>${account
          .outputs()
          .map(({ key, value }) => `<member>${tag("OutputKey", key)}${tag("OutputValue", value)}</member>`)
          .join("")}</Outputs></member></Stacks>`,
      );
    case "DescribeStackResource":
      if (account.template === null) return missing();
      return answer(
        action,
        `<StackResourceDetail>${tag("PhysicalResourceId", BUCKET)}${tag("LogicalResourceId", fields.get("LogicalResourceId") ?? "")}</StackResourceDetail>`,
      );
    case "ListStackResources":
      return answer(
        action,
        `<StackResourceSummaries>${Object.keys(account.template?.Resources ?? {})
          .map((name) => `<member>${tag("LogicalResourceId", name)}</member>`)
          .join("")}</StackResourceSummaries>`,
      );
    case "UpdateTerminationProtection":
      account.isProtected = fields.get("EnableTerminationProtection") === "true";
      return answer(action, tag("StackId", stackId));
    case "DeleteChangeSet":
      return answer(action);
    default:
      return fault("InvalidAction", `the fake knows no ${action}`);
  }
}

export const BUCKET = "deployments";

function templateOf(account: Account, fields: URLSearchParams): Template {
  const body = fields.get("TemplateBody");
  if (body !== null) return JSON.parse(body);
  const key = new URL(fields.get("TemplateURL") ?? "").pathname.replace(`/${BUCKET}/`, "");
  return JSON.parse(account.objects.get(decodeURIComponent(key))?.body.toString("utf8") ?? "{}");
}
