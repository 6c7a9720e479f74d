import { z } from "zod";
import { listPausable, pause, pauseResult, resume } from "../pause.ts";
import { type PausableWork, upstreamList, work } from "../status.ts";
import { reason, source, timeGiven } from "./fields.ts";
import { type OperationContext, operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Pause");

const resumeRequest = z.strictObject({
  work,
  source: source.describe("only this source; all by default"),
  reason,
});
export const upstreamOperations = [
  get("listUpstreams", "/upstreams", {
    summary: "List sources and topics, and which of them are paused or backing off",
    result: upstreamList,
    run: async ({ db }) => ({
      sources: await listPausable(db, "confirm"),
      topics: await listPausable(db, "publish"),
    }),
  }),
  post("pause", "/pause", {
    summary: "Stop asking a source, or sending to its topics; callbacks are still recorded",
    body: resumeRequest.extend({
      until: timeGiven.optional().describe("when it ends automatically; by default when it is resumed"),
    }),
    example: { body: { work: "publish", reason: "SNS is being moved", until: "2126-11-01T08:30:00Z" } },
    result: pauseResult,
    run: (context, { body: { work, source, reason, until } }) =>
      pause({
        db: context.db,
        actor: context.actor,
        work,
        names: namesOf(context, work, source),
        reason,
        until: until === undefined ? undefined : new Date(until),
      }),
  }),
  post("resume", "/resume", {
    summary: "Resume at once, after a pause, a refusal or a fault",
    body: resumeRequest,
    example: { body: { work: "publish", reason: "SNS is back" } },
    result: pauseResult,
    run: (context, { body: { work, source, reason } }) =>
      resume({ db: context.db, actor: context.actor, work, names: namesOf(context, work, source), reason }),
  }),
] as const;

/** The settings name a source's topics; a topic that two sources share is paused for both. */
function namesOf(context: OperationContext, work: PausableWork, source: string | undefined) {
  if (source === undefined) return "all";
  return work === "confirm" ? [source] : context.topicsOf(source);
}
