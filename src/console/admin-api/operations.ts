import { readAuditLog } from "../../database/audit.ts";
import {
  type AsideAction,
  type AsideResult,
  dismissDead,
  dismissQuarantine,
  releaseQuarantine,
  retryDead,
} from "../../replay/act-on-aside.ts";
import { eraseInvoice } from "../../replay/erase.ts";
import { listGates, pause, resume } from "../../replay/pause.ts";
import { applyRetention } from "../../replay/retention.ts";
import { type AsideList, listAside } from "../../replay/set-aside.ts";
import { showAside } from "../../replay/show-aside.ts";
import { type AdminContext, type Operation, operation } from "./operation.ts";
import { replayOperations } from "./replay-operations.ts";
import * as schemas from "./schemas.ts";

/** Every operation of the admin API; the router and its document are made from this list. */
export const operations: readonly Operation[] = [
  ...replayOperations,
  ...asideOperations("dead", "dead-letters", "Dead letters", { retry: retryDead, dismiss: dismissDead }),
  ...asideOperations("quarantine", "quarantine", "Quarantine", {
    release: releaseQuarantine,
    dismiss: dismissQuarantine,
  }),
  operation({
    id: "listGates",
    method: "get",
    path: "/gates",
    tag: "Pause",
    summary: "Sources and topics, and which of them are paused",
    result: schemas.gateList,
    run: async ({ db }) => ({
      sources: await listGates(db, "confirm"),
      topics: await listGates(db, "publish"),
    }),
  }),
  gateOperation(
    "pause",
    "Stop asking a source, or sending to its topics; callbacks are recorded all the same",
  ),
  gateOperation("resume", "Go on after a pause, at once"),
  operation({
    id: "applyRetention",
    method: "post",
    path: "/retention",
    tag: "Retention",
    summary: "Drop callbacks older than RETENTION, as serve does daily",
    body: schemas.dryRunRequest,
    result: schemas.retentionResult,
    run: ({ db, actor, retentionMs }, { body }) =>
      applyRetention({ db, actor, retentionMs, dryRun: body.dryRun }),
  }),
  operation({
    id: "showInvoice",
    method: "get",
    path: "/invoices/{id}",
    tag: "Invoices",
    summary: "Everything that happened to one invoice",
    pathParameters: schemas.idInPath,
    result: schemas.anything,
    run: ({ timeline }, { path }) => composed(timeline)(path.id),
  }),
  operation({
    id: "eraseInvoice",
    method: "post",
    path: "/invoices/{id}/erase",
    tag: "Invoices",
    summary: "Blank the personal data of one invoice for good; ids, amounts and a digest stay",
    pathParameters: schemas.idInPath,
    result: schemas.erased,
    run: ({ db, actor }, { path }) => eraseInvoice({ db, actor, invoiceId: path.id }),
  }),
  operation({
    id: "certify",
    method: "post",
    path: "/certify",
    tag: "Proof",
    summary: "Compare what the provider says is paid with what was stored and published",
    body: schemas.period,
    result: schemas.anything,
    run: ({ certify }, { body }) => composed(certify)(body),
  }),
  operation({
    id: "reconcile",
    method: "post",
    path: "/reconcile",
    tag: "Proof",
    summary: "Read the provider's lists now for what callbacks missed",
    body: schemas.reconcileRequest,
    result: schemas.anything,
    run: ({ reconcile, actor }, { body }) => composed(reconcile)(body, actor),
  }),
  operation({
    id: "readAuditLog",
    method: "get",
    path: "/audit",
    tag: "Audit",
    summary: "Who changed what, the newest first",
    query: schemas.auditQuery,
    result: schemas.auditList,
    run: async ({ db }, { query }) => ({ entries: await readAuditLog({ db, ...query }) }),
  }),
];

/** Not every process brings every part. */
export class NotComposed extends Error {}

function composed<Run>(run: Run | undefined): Run {
  if (run === undefined) throw new NotComposed("This process does not bring that part of the admin API.");
  return run;
}

function asideOperations(
  list: AsideList,
  path: string,
  tag: string,
  actions: Record<string, (action: AsideAction) => Promise<AsideResult>>,
): Operation[] {
  const idOf = (verb: string) => verb + list[0]?.toUpperCase() + list.slice(1);
  return [
    operation({
      id: idOf("list"),
      method: "get",
      path: `/${path}`,
      tag,
      summary: "List them, the oldest first",
      query: schemas.asideQuery,
      result: schemas.asideList,
      run: ({ db }, { query: { limit, ...filters } }) =>
        listAside({ db, list, selection: { filters }, limit }),
    }),
    operation({
      id: idOf("show"),
      method: "get",
      path: `/${path}/{id}`,
      tag,
      summary: "One with its evidence, personal data masked",
      pathParameters: schemas.idInPath,
      result: schemas.asideEvidence,
      async run({ db }, { path: { id } }) {
        const items = await showAside({ db, list, id });
        return items.length === 0 ? null : { items };
      },
    }),
    ...Object.entries(actions).map(([verb, act]) =>
      operation({
        id: idOf(verb),
        method: "post",
        path: `/${path}/${verb}`,
        tag,
        summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} some by id, or all that filters match`,
        body: schemas.asideChoice,
        result: schemas.asideResult,
        run: ({ db, actor }, { body: { ids, filters, dryRun } }) =>
          act({ db, actor, dryRun, selection: ids === undefined ? { filters: filters ?? {} } : { ids } }),
      }),
    ),
  ];
}

function gateOperation(action: "pause" | "resume", summary: string): Operation {
  const change = { pause, resume }[action];
  return operation({
    id: action,
    method: "post",
    path: `/${action}`,
    tag: "Pause",
    summary,
    body: schemas.gateRequest,
    result: schemas.gateResult,
    run: (context, { body: { work, source } }) =>
      change({ db: context.db, actor: context.actor, work, names: namesOf(context, work, source) }),
  });
}

function namesOf(context: AdminContext, work: "confirm" | "publish", source: string | undefined) {
  if (source === undefined) return "all";
  return work === "confirm" ? [source] : context.topicsOf(source);
}
