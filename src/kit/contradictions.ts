import type { AdminToken } from "./admin-token.ts";
import type { Source } from "./sources-file.ts";

interface Contradictable {
  PORT: number;
  OPS_PORT?: number | undefined;
  SNS_TOPIC_ARN?: string | undefined;
  SNS_TEST_TOPIC_ARN?: string | undefined;
  ADMIN_TOKENS?: readonly AdminToken[] | undefined;
  PAID_STATUSES: readonly string[];
  INVALID_STATUSES: readonly string[];
  CALLBACK_ACK_STATUS: number;
  CALLBACK_ACK_BODY: string;
}

const MEANS_TEST = "events of Test invoices would be taken for payments";

/** Right by itself, wrong together, a line each; no line holds a secret. @param sources null without SOURCES_FILE. */
export function contradictions(given: Contradictable, sources: readonly Source[] | null): string[] {
  const { SNS_TOPIC_ARN: live, SNS_TEST_TOPIC_ARN: test, CALLBACK_ACK_STATUS: status } = given;
  const paid = new Set(given.PAID_STATUSES.map((one) => one.toLowerCase()));
  const tokens = given.ADMIN_TOKENS?.map(({ token }) => token.reveal()) ?? [];
  const rules: [isSo: boolean, problem: string][] = [
    [
      [204, 205].includes(status) && given.CALLBACK_ACK_BODY !== "",
      `CALLBACK_ACK_BODY is set, but an answer with ${status} has no body`,
    ],
    // 0 takes a free port for each.
    [
      given.PORT !== 0 && given.OPS_PORT === given.PORT,
      "OPS_PORT is the same as PORT; leave it out to have all on one port",
    ],
    [paid.has("unpaid"), "PAID_STATUSES holds Unpaid, with which every invoice begins"],
    [
      given.INVALID_STATUSES.some((one) => paid.has(one.toLowerCase())),
      "PAID_STATUSES and INVALID_STATUSES hold the same status",
    ],
    // The role of the one written last would hold.
    [new Set(tokens).size < tokens.length, "ADMIN_TOKENS holds the same token twice"],
    [
      sources === null && live !== undefined && live === test,
      `SNS_TEST_TOPIC_ARN is the same as SNS_TOPIC_ARN: ${MEANS_TEST}`,
    ],
  ];
  return [...rules.flatMap(([isSo, problem]) => (isSo ? problem : [])), ...topicsOfSources(sources ?? [])];
}

/** One source's topic for Test invoices may not be another's live one either. */
function topicsOfSources(sources: readonly Source[]): string[] {
  const live = new Map(sources.map(({ snsTopicArn }, index) => [snsTopicArn, index]));
  return sources.flatMap(({ snsTestTopicArn }, index) => {
    const owner = snsTestTopicArn === null ? undefined : live.get(snsTestTopicArn);
    if (owner === undefined) return [];
    return `SOURCES_FILE: sources[${index}].snsTestTopicArn is the snsTopicArn of sources[${owner}]: ${MEANS_TEST}`;
  });
}
