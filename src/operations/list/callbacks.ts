import { z } from "zod";
import { plainAddress } from "../../platform/http/index.ts";
import { readAs } from "../../platform/validation/index.ts";
import { findCallbacks, readingFor, showCallback } from "../find-callbacks.ts";
import { CALLBACK, CALLBACKS } from "../views/callbacks.ts";
import { listOf } from "../views/view.ts";
import {
  idGiven,
  idInPath,
  name,
  pageFrom,
  pageInQuery,
  pageOf,
  source,
  timeGiven,
  verdict,
} from "./fields.ts";
import { operationsAbout } from "./operation.ts";
import { callbackShown, listedCallback } from "./results.ts";

const { get } = operationsAbout("Callbacks");

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
      invoiceId: idGiven.optional().describe("only those that name this invoice"),
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
