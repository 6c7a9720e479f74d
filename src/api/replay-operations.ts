import { RelayError } from "../kit/errors.ts";
import { planReplay } from "../replay/plan-replay.ts";
import type { ReplayTarget } from "../replay/replay.ts";
import { findReplay, listRefusals, listReplays } from "../replay/replay-rows.ts";
import { cancelReplay, resumeReplay, startReplay } from "../replay/start-replay.ts";
import { limitInQuery } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";
import * as schemas from "./schemas.ts";

const TAG = "Replay";

/** @throws RelayError for a topic that is not among those to which the admin API may replay. */
function refuseForeign(target: ReplayTarget, replayTopicArns: readonly string[]): void {
  if (target.kind !== "other_topic" || replayTopicArns.includes(target.topicArn)) return;
  throw new RelayError(
    `${target.topicArn} is not in REPLAY_TOPIC_ARNS. Add it there, or choose one of them.`,
  );
}

export const replayOperations: readonly Operation[] = [
  operation({
    id: "listReplays",
    method: "get",
    path: "/replays",
    tag: TAG,
    summary: "List replays, newest first",
    query: limitInQuery,
    result: schemas.replayList,
    run: async ({ db }, { query }) => ({ replays: await listReplays({ db, limit: query.limit }) }),
  }),
  operation({
    id: "startReplay",
    method: "post",
    path: "/replays",
    tag: TAG,
    summary: "Repeat confirmations, callbacks or events; a running serve does it. Try dryRun first",
    body: schemas.replayRequest,
    result: schemas.replayStarted,
    async run(
      { db, actor, routes, readAgain, replayTopicArns, dryRuns, left },
      { body: { dryRun, rate, reason, ...request } },
    ) {
      refuseForeign(request.target, replayTopicArns);
      if (dryRun) {
        const plan = await dryRuns.run(request.kind, left, (signal) =>
          planReplay({ db, routes, readAgain, ...request, signal }),
        );
        return { replay: null, plan };
      }
      return { replay: await startReplay({ db, actor, routes, rate, reason, ...request }), plan: null };
    },
  }),
  operation({
    id: "showReplay",
    method: "get",
    path: "/replays/{id}",
    tag: TAG,
    summary: "Show its progress, and the events that SNS refused",
    pathParameters: schemas.idInPath,
    result: schemas.replayShown,
    async run({ db }, { path: { id } }) {
      const replay = await findReplay({ db, id });
      return replay === null ? null : { replay, refusals: await listRefusals({ db, id }) };
    },
  }),
  ...(
    [
      ["cancel", cancelReplay, () => undefined, "Cancel it; what it has done is not undone"],
      ["resume", resumeReplay, refuseForeign, "Resume it where it stopped; a running serve does it"],
    ] as const
  ).map(([verb, change, refuse, summary]) =>
    operation({
      id: `${verb}Replay`,
      method: "post",
      path: `/replays/{id}/${verb}`,
      tag: TAG,
      summary,
      pathParameters: schemas.idInPath,
      body: schemas.reasonRequest,
      result: schemas.replay,
      async run({ db, actor, replayTopicArns }, { path: { id }, body: { reason } }) {
        const replay = await findReplay({ db, id });
        if (replay === null) return null;
        refuse(replay.target, replayTopicArns);
        return await change({ db, actor, id, reason });
      },
    }),
  ),
];
