import { z } from "zod";
import { plainAddress } from "../../kit/addresses.ts";
import { FAILED_CHECKS, type FailedCheck } from "../../kit/failed-checks.ts";
import { readAs } from "../../kit/problems.ts";
import { findCallbacks, readingFor, showCallback } from "../find-callbacks.ts";
import { CALLBACK, CALLBACKS } from "../views/callbacks.ts";
import { type Either, listOf } from "../views/view.ts";
import {
  answeredId,
  bodyShown,
  id,
  idInPath,
  name,
  pageFrom,
  pageInQuery,
  pageOf,
  shownVerdict,
  source,
  time,
  timeGiven,
  verdict,
  whole,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get } = operationsAbout("Callbacks");

const listedCallback = z.object({
  id: answeredId,
  receivedAt: time,
  source: z.string(),
  method: z.string(),
  path: z.string().describe("With the token masked."),
  reference: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  foundBy: z.string().nullable(),
  verdict: verdict.nullable().describe("The best verdict of its invoices, or its own."),
  failedCheck: z
    .enum(Object.keys(FAILED_CHECKS) as FailedCheck[])
    .nullable()
    .describe("Of a refused one: the check of its source that it failed, when it came."),
  invoiceIds: z.array(answeredId),
  bytes: whole.nullable().describe("Size of the body as it was sent; null once erased."),
  erasedAt: time.nullable(),
});

const callbackShown = listedCallback.extend({
  query: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).describe("In their original order; secrets are ***."),
  ...bodyShown,
  erasedDigest: z.string().nullable().describe("SHA-256 (hex) of the erased body."),
  ids: z.array(
    z.object({
      invoiceId: answeredId,
      foundBy: z.string().nullable(),
      state: z.enum(["due", "claimed", "done", "dead"]).nullable(),
      verdict: shownVerdict.nullable(),
    }),
  ),
});

export type ListedCallback = Either<z.output<typeof listedCallback>>;
export type CallbackShown = Either<z.output<typeof callbackShown>>;

export const callbackOperations = [
  get("listCallbacks", "/callbacks", {
    summary: "List recorded callbacks, newest first, with filters",
    query: z.object({
      ...pageInQuery.shape,
      source,
      verdict: verdict
        .optional()
        .describe("the best verdict of its invoices, or its own: unreadable, ping, refused"),
      foundBy: name(100).optional().describe("where in the callback its ids were found, such as data.id"),
      remoteAddress: z
        .string()
        .max(100)
        .meta({ anyOf: [{ format: "ipv4" }, { format: "ipv6" }] })
        .pipe(readAs((text) => plainAddress(text.trim()), "should be an IP address such as 203.0.113.7"))
        .optional()
        .describe("the sender's address, in any spelling"),
      invoiceId: id.optional().describe("only those that name this invoice"),
      reference: name(1_000).optional().describe("the merchant's reference from the URL, compared whole"),
      from: timeGiven.optional().describe("received at this time or later"),
      to: timeGiven.optional().describe("received before this time"),
    }),
    example: { query: { verdict: "refused", limit: 10 } },
    result: pageOf(listedCallback),
    view: { lists: [listOf("items", CALLBACKS)] },
    run: async ({ db }, { query: { cursor: from = null, limit, ...filters } }) =>
      pageFrom(await findCallbacks(db, filters, { from, limit })),
  }),
  get("showCallback", "/callbacks/{id}", {
    summary: "Show one whole callback and how each id was found; with personal data for `operate`",
    pathParameters: idInPath,
    result: callbackShown,
    view: CALLBACK,
    run: ({ db, ...parts }, { path: { id } }) => showCallback(db, id, readingFor(parts)),
  }),
] as const;
