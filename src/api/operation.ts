import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Tables } from "../database/tables.ts";
import type { Role } from "../kit/admin-token.ts";
import type { Mask } from "../kit/mask.ts";
import type { Activity } from "../operate/activity.ts";
import type { StatusSettings } from "../operate/status-facts.ts";
import type { Route } from "../publish/event.ts";
import type { ReadAgain, RecordedRequest } from "../replay/callback-readings.ts";
import type { DryRuns } from "./dry-runs.ts";
import type { SettingsShown } from "./settings-schemas.ts";

/** Days of payment, the last one included. */
export interface Period {
  from: string;
  to: string;
  /** One of COLLECTION_IDS; all of them by default. */
  collection?: string | undefined;
}

/** The progress of reading the provider's lists. */
export interface ListProgress {
  source: string;
  /** null: all of the source's. */
  collectionId: string | null;
  step: "lists" | "invoices" | "books";
  done: number;
  /** null when unknown. */
  total: number | null;
}

/** Receives the progress, if the caller wants it. */
export type OnProgress = (progress: ListProgress) => void;

/** What the operations need. */
export interface AdminParts {
  db: Kysely<Tables>;
  routes: readonly Route[];
  readAgain: ReadAgain;
  /** Bounds what replays say they would do. */
  dryRuns: DryRuns;
  /** The topics that a source's events go to. @throws RelayError when there is no such source. */
  topicsOf: (source: string) => readonly string[];
  /** The other topics that an admin may replay events to. */
  replayTopicArns: readonly string[];
  retentionMs: number;
  personalDataMs?: number | undefined;
  /** What `status` needs of the settings. */
  statusSettings: StatusSettings;
  /** Decodes the bytes of a callback as the reader of callbacks does. */
  decode: (request: Pick<RecordedRequest, "contentEncoding" | "body">) => string;
  /** Masks callback tokens in a text; every response passes through it. */
  mask: Mask;
  /** The settings. @param withTokens whether callback URLs may contain their token. */
  settings: (withTokens: boolean) => SettingsShown;
  certify: (request: Period & { deep: boolean }, onProgress: OnProgress) => Promise<unknown>;
  reconcile: (
    request: Period & { publish: boolean; reason?: string | undefined },
    actor: string,
    onProgress: OnProgress,
  ) => Promise<unknown>;
  activity: (minutes: number) => Promise<Activity>;
}

export interface AdminContext extends AdminParts {
  /** The caller, for the audit log. */
  actor: string;
  role: Role;
  /** Is aborted when the caller has hung up. */
  left: AbortSignal;
  onProgress: OnProgress;
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
  /** The role it needs; by default `read` for a GET and `operate` for anything else. */
  role?: Role;
  /** It is slow: it streams its progress to callers that accept `application/x-ndjson`. */
  tellsProgress?: true;
  /** Its response is not masked: it may contain callback tokens for those who may see them. */
  tellsTokens?: true;
  /** The media type of a response that is not JSON; `run` then returns an `AsyncIterable` of text. */
  mediaType?: string;
}

export const roleFor = ({ role, method }: Pick<Operation, "role" | "method">): Role =>
  role ?? (method === "get" ? "read" : "operate");

export interface Operation extends OperationShape<z.ZodObject, z.ZodObject, z.ZodType> {
  /** @returns null for a 404. */
  run: (context: AdminContext, input: { path: unknown; query: unknown; body: unknown }) => Promise<unknown>;
}

/** An operation whose `run` gets the values that its schemas parsed. */
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
