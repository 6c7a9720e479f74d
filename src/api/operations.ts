import { readAuditLog } from "../alarms/audit.ts";
import { listAlarms } from "../alarms/list-alarms.ts";
import { mayAct } from "../kit/admin-token.ts";
import { closeAlarmsByHand } from "../operate/close-alarms.ts";
import {
  type Decision,
  type DecisionResult,
  dismissDead,
  dismissQuarantine,
  releaseQuarantine,
  retryDead,
} from "../operate/decide-undelivered.ts";
import { listUndelivered, type UndeliveredList } from "../operate/list-undelivered.ts";
import { listPausable, type PausableWork, pause, resume } from "../operate/pause.ts";
import { applyRetention } from "../operate/retention.ts";
import { showUndelivered } from "../operate/show-undelivered.ts";
import { readStatus } from "../operate/status.ts";
import { activity, activityQuery } from "./activity-schemas.ts";
import { callbackOperations } from "./callback-operations.ts";
import { sourceInQuery } from "./fields.ts";
import { type AdminContext, type Operation, operation } from "./operation.ts";
import { paymentOperations } from "./payment-operations.ts";
import { proofOperations } from "./proof-operations.ts";
import { replayOperations } from "./replay-operations.ts";
import { retentionRequest, retentionResult } from "./retention-schemas.ts";
import * as schemas from "./schemas.ts";
import { settingsShown } from "./settings-schemas.ts";
import * as statusSchemas from "./status-schemas.ts";

/** Every operation of the admin API; the router and the OpenAPI document are made from this list. */
export const operations: readonly Operation[] = [
  operation({
    id: "readStatus",
    method: "get",
    path: "/status",
    tag: "Status",
    summary: "How the relay is doing: what needs a person, and what to do about it",
    result: statusSchemas.status,
    run: ({ db, statusSettings }) => readStatus(db, statusSettings),
  }),
  operation({
    id: "listAlarms",
    method: "get",
    path: "/alarms",
    tag: "Status",
    summary: "List open alarms, newest first; all=true includes cleared ones",
    query: statusSchemas.alarmQuery,
    result: statusSchemas.alarmList,
    run: ({ db }, { query: { limit, ...filters } }) => listAlarms(db, filters, limit),
  }),
  operation({
    id: "closeAlarms",
    role: "operate",
    method: "post",
    path: "/alarms/close",
    tag: "Status",
    summary: "Close alarms that have been dealt with; if the cause remains, they are raised again",
    body: statusSchemas.closeAlarmsRequest,
    result: statusSchemas.closedAlarms,
    run: ({ db, actor }, { body }) => closeAlarmsByHand({ db, actor, ...body }),
  }),
  operation({
    id: "readActivity",
    method: "get",
    path: "/activity",
    tag: "Status",
    summary:
      "How busy it is: callbacks, confirmations and events by the minute, and how long a payment takes",
    query: activityQuery,
    result: activity,
    run: (context, { query }) => context.activity(query.minutes),
  }),
  operation({
    id: "readSettings",
    method: "get",
    path: "/settings",
    tag: "Status",
    summary: "Show the settings of this process, secrets masked, and the URL to create invoices with",
    result: settingsShown,
    tellsTokens: true,
    run: async ({ settings, role }) => settings(mayAct(role, "operate")),
  }),
  ...replayOperations,
  ...undeliveredOperations("dead", "dead-letters", "Dead letters", {
    retry: retryDead,
    dismiss: dismissDead,
  }),
  ...undeliveredOperations("quarantine", "quarantine", "Quarantine", {
    release: releaseQuarantine,
    dismiss: dismissQuarantine,
  }),
  operation({
    id: "listUpstreams",
    method: "get",
    path: "/upstreams",
    tag: "Pause",
    summary: "List sources and topics, and which of them are paused or backing off",
    result: schemas.upstreamList,
    run: async ({ db }) => ({
      sources: await listPausable(db, "confirm"),
      topics: await listPausable(db, "publish"),
    }),
  }),
  operation({
    id: "pause",
    method: "post",
    path: "/pause",
    tag: "Pause",
    summary: "Stop asking a source, or sending to its topics; callbacks are still recorded",
    body: schemas.pauseRequest,
    result: schemas.pauseResult,
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
  operation({
    id: "resume",
    method: "post",
    path: "/resume",
    tag: "Pause",
    summary: "Resume at once, after a pause, a refusal or a fault",
    body: schemas.resumeRequest,
    result: schemas.pauseResult,
    run: (context, { body: { work, source, reason } }) =>
      resume({
        db: context.db,
        actor: context.actor,
        work,
        names: namesOf(context, work, source),
        reason,
      }),
  }),
  operation({
    id: "applyRetention",
    method: "post",
    role: "admin",
    path: "/retention",
    tag: "Retention",
    summary: "Drop callbacks older than RETENTION, as serve does daily",
    body: retentionRequest,
    result: retentionResult,
    run: ({ db, actor, retentionMs, personalDataMs }, { body }) =>
      applyRetention({ db, actor, retentionMs, personalDataMs, ...body }),
  }),
  ...paymentOperations,
  ...callbackOperations,
  ...proofOperations,
  operation({
    id: "readAuditLog",
    method: "get",
    path: "/audit",
    tag: "Audit",
    summary: "List who changed what, newest first",
    query: schemas.auditQuery,
    result: schemas.auditList,
    run: async ({ db }, { query }) => ({ entries: await readAuditLog({ db, ...query }) }),
  }),
];

function undeliveredOperations(
  list: UndeliveredList,
  path: string,
  tag: string,
  actions: Record<string, (decision: Decision) => Promise<DecisionResult>>,
): Operation[] {
  const idOf = (verb: string) => verb + list[0]?.toUpperCase() + list.slice(1);
  return [
    operation({
      id: idOf("list"),
      method: "get",
      path: `/${path}`,
      tag,
      summary: "List them, oldest first",
      query: schemas.undeliveredQuery,
      result: schemas.undeliveredList,
      run: ({ db }, { query: { limit, ...filters } }) =>
        listUndelivered({ db, list, selection: { filters }, limit }),
    }),
    operation({
      id: idOf("show"),
      method: "get",
      path: `/${path}/{id}`,
      tag,
      summary: "Show one with its evidence, personal data masked",
      pathParameters: schemas.idInPath,
      result: schemas.undeliveredEvidence,
      query: sourceInQuery,
      async run({ db }, { path: { id }, query: { source } }) {
        const items = await showUndelivered({ db, list, id, source });
        return items.length === 0 ? null : { items };
      },
    }),
    ...Object.entries(actions).map(([verb, act]) =>
      operation({
        id: idOf(verb),
        method: "post",
        path: `/${path}/${verb}`,
        tag,
        summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} those given by id, or all that the filters match`,
        body: schemas.undeliveredChoice,
        result: schemas.undeliveredResult,
        run: ({ db, actor }, { body: { ids, source, filters, reason, dryRun } }) =>
          act({
            db,
            actor,
            reason,
            dryRun,
            selection: ids === undefined ? { filters: filters ?? {} } : { ids, source },
          }),
      }),
    ),
  ];
}

function namesOf(context: AdminContext, work: PausableWork, source: string | undefined) {
  if (source === undefined) return "all";
  return work === "confirm" ? [source] : context.topicsOf(source);
}
