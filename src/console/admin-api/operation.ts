import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Tables } from "../../database/tables.ts";
import type { StatusSettings } from "../../operate/status-facts.ts";
import type { Route } from "../../outbox/event.ts";
import type { ReadAgain } from "../../replay/read-again.ts";

/** Days of payment, the last one included. */
export interface Period {
  from: string;
  to: string;
  /** One of COLLECTION_IDS; all of them when left out. */
  collection?: string | undefined;
}

/** What the admin API works with; the last three are composed in where they exist. */
export interface AdminParts {
  db: Kysely<Tables>;
  routes: readonly Route[];
  readAgain: ReadAgain;
  /** The topics that a source's events go to. @throws RelayError when there is no such source. */
  topicsOf: (source: string) => readonly string[];
  /** Where else events may be replayed to: whoever holds an admin token chooses among these, and no other. */
  replayTopicArns: readonly string[];
  retentionMs: number;
  personalDataMs?: number | undefined;
  /** What `status` wants to know of the settings. */
  statusSettings: StatusSettings;
  /** Everything that happened to one invoice; null when nothing is known of it. */
  timeline?: ((invoiceId: string) => Promise<unknown>) | undefined;
  certify?: ((request: Period & { deep: boolean }) => Promise<unknown>) | undefined;
  reconcile?:
    | ((
        request: Period & { publish: boolean; reason?: string | undefined },
        actor: string,
      ) => Promise<unknown>)
    | undefined;
}

export interface AdminContext extends AdminParts {
  /** Who asks, for the audit log. */
  actor: string;
}

type Read<Schema> = Schema extends z.ZodType<infer Value> ? Value : undefined;

export interface OperationShape<Path, Query, Body> {
  id: string;
  method: "get" | "post";
  /** Below `/admin/v1`, with `{name}` for what `pathParameters` describe. */
  path: string;
  tag: string;
  summary: string;
  pathParameters?: Path;
  query?: Query;
  body?: Body;
  result: z.ZodType;
}

export interface Operation extends OperationShape<z.ZodObject, z.ZodObject, z.ZodType> {
  /** @returns null when there is no such thing: 404. */
  run: (context: AdminContext, input: { path: unknown; query: unknown; body: unknown }) => Promise<unknown>;
}

/** An operation whose `run` gets what its schemas read. */
export function operation<
  Path extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  shape: OperationShape<Path, Query, Body> & {
    run: (
      context: AdminContext,
      input: { path: Read<Path>; query: Read<Query>; body: Read<Body> },
    ) => Promise<unknown>;
  },
): Operation {
  return shape as unknown as Operation;
}
