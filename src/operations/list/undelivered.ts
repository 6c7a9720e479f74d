import { z } from "zod";
import { SOME_ID } from "../../platform/values/index.ts";
import {
  dismissDead,
  dismissQuarantine,
  listUndelivered,
  releaseQuarantine,
  retryDead,
  type UndeliveredList,
  undeliveredFilters,
} from "../undelivered.ts";
import {
  DEAD_DISMISSED,
  DEAD_LETTERS,
  QUARANTINE as HELD,
  QUARANTINE_DISMISSED,
  RELEASED,
  RETRIED,
} from "../views/undelivered.ts";
import { listOf, type Rows } from "../views/view.ts";
import { dryRun, idGiven, limitInQuery, reason, source, whole } from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { decision, type Undelivered, undelivered } from "./results.ts";

const DEAD = operationsAbout("Dead letters");
const QUARANTINE = operationsAbout("Quarantine");
type Chapter = typeof DEAD;

const choice = z
  .strictObject({
    ids: z.array(idGiven).min(1).max(1_000).optional().describe("ids of invoices or events"),
    source: source.describe("The source, for ids that several know."),
    filters: undeliveredFilters.optional(),
    reason,
    dryRun: dryRun.describe("only show how many there are, and the first ones"),
  })
  .refine((choice) => (choice.ids === undefined) !== (choice.filters === undefined), {
    error: "should have either ids or filters; empty filters match everything",
  })
  .refine((choice) => choice.source === undefined || choice.ids !== undefined, {
    error: "has a source, which goes with ids; filters have their own",
  })
  .meta({
    oneOf: [
      { required: ["ids"], properties: { filters: false } },
      { required: ["filters"], properties: { ids: false, source: false } },
    ],
  });

const listOperation = <const Id extends string, const Path extends string>(
  list: UndeliveredList,
  id: Id,
  path: Path,
  about: Chapter,
  rows: Rows<Undelivered>,
  summary: string,
) =>
  about.get(id, path, {
    summary,
    query: z.object({ ...undeliveredFilters.shape, ...limitInQuery.shape }),
    example: { query: { collection: "School fees" } },
    result: z.object({ total: whole, items: z.array(undelivered) }),
    view: { lists: [listOf("items", rows)] },
    run: ({ db }, { query: { limit, ...filters } }) =>
      listUndelivered({ db, list, selection: { filters }, limit }),
  });

const decideOperation = <const Id extends string, const Path extends string>(
  decide: typeof retryDead,
  id: Id,
  path: Path,
  about: Chapter,
  view: typeof RETRIED,
  summary: string,
) =>
  about.post(id, path, {
    summary,
    view,
    body: choice,
    example: { body: { ids: [SOME_ID], reason: "the cause is gone", dryRun: true } },
    result: decision,
    run: ({ db, actor }, { body: { ids, source, filters, reason, dryRun } }) =>
      decide({
        db,
        actor,
        reason,
        dryRun,
        selection: ids === undefined ? { filters: filters ?? {} } : { ids, source },
      }),
  });

const DISMISS = "Stop listing them, unless they come back; certificates still name them";

export const undeliveredOperations = [
  listOperation(
    "dead",
    "listDead",
    "/dead-letters",
    DEAD,
    DEAD_LETTERS,
    "List dead letters, the oldest first",
  ),
  decideOperation(
    retryDead,
    "retryDead",
    "/dead-letters/retry",
    DEAD,
    RETRIED,
    "Ask or send again from the beginning",
  ),
  decideOperation(dismissDead, "dismissDead", "/dead-letters/dismiss", DEAD, DEAD_DISMISSED, DISMISS),
  listOperation(
    "quarantine",
    "listQuarantine",
    "/quarantine",
    QUARANTINE,
    HELD,
    "List quarantined invoices, the oldest first",
  ),
  decideOperation(
    releaseQuarantine,
    "releaseQuarantine",
    "/quarantine/release",
    QUARANTINE,
    RELEASED,
    "Ask the provider again and publish them if they are still paid",
  ),
  decideOperation(
    dismissQuarantine,
    "dismissQuarantine",
    "/quarantine/dismiss",
    QUARANTINE,
    QUARANTINE_DISMISSED,
    DISMISS,
  ),
] as const;
