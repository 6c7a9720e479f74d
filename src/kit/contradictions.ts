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

/** Right by itself, wrong together, a line each; no line holds a secret. @param sources null without SOURCES_FILE. */
export function contradictions(settings: Contradictable, sources: readonly Source[] | null): string[] {
  return [
    ...answer(settings),
    ...ports(settings),
    ...statuses(settings),
    ...adminTokens(settings),
    ...(sources === null ? topics(settings) : topicsOfSources(sources)),
  ];
}

const when = (isSo: boolean, problem: string): string[] => (isSo ? [problem] : []);

const answer = ({ CALLBACK_ACK_STATUS: status, CALLBACK_ACK_BODY: body }: Contradictable) =>
  when(
    [204, 205].includes(status) && body !== "",
    `CALLBACK_ACK_BODY is set, but an answer with ${status} has no body`,
  );

/** 0 takes a free port for each. */
const ports = ({ PORT, OPS_PORT }: Contradictable) =>
  when(PORT !== 0 && OPS_PORT === PORT, "OPS_PORT is the same as PORT; leave it out to have all on one port");

function statuses(settings: Contradictable): string[] {
  const paid = new Set(settings.PAID_STATUSES.map((status) => status.toLowerCase()));
  const invalid = settings.INVALID_STATUSES.map((status) => status.toLowerCase());
  return [
    ...when(paid.has("unpaid"), "PAID_STATUSES holds Unpaid, with which every invoice begins"),
    ...when(
      invalid.some((status) => paid.has(status)),
      "PAID_STATUSES and INVALID_STATUSES hold the same status",
    ),
  ];
}

/** Else the role of the one written last would hold. */
function adminTokens({ ADMIN_TOKENS = [] }: Contradictable): string[] {
  const different = new Set(ADMIN_TOKENS.map(({ token }) => token.reveal()));
  return when(different.size < ADMIN_TOKENS.length, "ADMIN_TOKENS holds the same token twice");
}

const MEANS_TEST = "events of Test invoices would be taken for payments";

const topics = ({ SNS_TOPIC_ARN: live, SNS_TEST_TOPIC_ARN: test }: Contradictable) =>
  when(live !== undefined && live === test, `SNS_TEST_TOPIC_ARN is the same as SNS_TOPIC_ARN: ${MEANS_TEST}`);

/** One source's topic for Test invoices may not be another's live one either. */
function topicsOfSources(sources: readonly Source[]): string[] {
  const live = new Map(sources.map(({ snsTopicArn }, index) => [snsTopicArn, index]));
  return sources.flatMap(({ snsTestTopicArn }, index) => {
    const owner = snsTestTopicArn === null ? undefined : live.get(snsTestTopicArn);
    return owner === undefined
      ? []
      : [
          `SOURCES_FILE: sources[${index}].snsTestTopicArn is the snsTopicArn of sources[${owner}]: ` +
            MEANS_TEST,
        ];
  });
}
