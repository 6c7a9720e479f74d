import type { Kysely } from "kysely";
import type { z } from "zod";
import type { Tables } from "../../database/tables.ts";
import type { Role } from "../../kit/admin-token.ts";
import type { Mask } from "../../kit/mask/masked-texts.ts";
import type { Activity } from "../../operate/activity.ts";
import type { StatusSettings } from "../../operate/status-facts.ts";
import type { Route } from "../../outbox/event.ts";
import type { ReadAgain, RecordedRequest } from "../../replay/read-again.ts";
import type { SettingsShown } from "./settings-schemas.ts";

/** Days of payment, the last one included. */
export interface Period {
  from: string;
  to: string;
  /** One of COLLECTION_IDS; all of them when left out. */
  collection?: string | undefined;
}

/** How far reading the provider's lists is. */
export interface ListProgress {
  source: string;
  /** null: all of the source's. */
  collectionId: string | null;
  step: "lists" | "invoices" | "books";
  done: number;
  /** null: nobody knows. */
  total: number | null;
}

/** Told of it, where somebody wants to know. */
export type OnProgress = (progress: ListProgress) => void;

/** What the admin API works with. */
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
  /** The text that the reader of callbacks sees in the bytes of one. */
  decode: (request: Pick<RecordedRequest, "contentEncoding" | "body">) => string;
  /** Takes callback tokens out of a text: what is answered passes through it. */
  mask: Mask;
  /** What the settings say. @param withTokens whether callback URLs may be told whole. */
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
  /** Who asks, for the audit log. */
  actor: string;
  role: Role;
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
  /** Who may; when left out, `read` for a GET and `operate` for all else. */
  role?: Role;
  /** It takes long: it tells how far it is to whoever accepts `application/x-ndjson`. */
  tellsProgress?: true;
  /** Its answer is our own words and may hold callback tokens for whoever may know them: it is not masked. */
  tellsTokens?: true;
  /** Of an answer that is no JSON: its media type. `run` gives its text in parts, an `AsyncIterable`. */
  mediaType?: string;
}

export const roleFor = ({ role, method }: Pick<Operation, "role" | "method">): Role =>
  role ?? (method === "get" ? "read" : "operate");

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
