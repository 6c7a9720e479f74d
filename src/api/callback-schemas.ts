import { z } from "zod";
import { answeredId, bodyShown, id, pageInQuery, pageOf, time, toldVerdict, verdict } from "./fields.ts";

export const callbackQuery = z.object({
  ...pageInQuery.shape,
  source: z.string().optional(),
  verdict: verdict
    .optional()
    .describe("The best verdict of its invoices, or its own: unreadable, ping, refused."),
  foundBy: z
    .string()
    .max(100)
    .optional()
    .describe("Where in the callback its ids were found, such as data.id."),
  remoteAddress: z.string().max(100).optional().describe("Exactly."),
  invoiceId: id.optional(),
  reference: z.string().max(1_000).optional().describe("The merchant's reference from the URL; exact match."),
  from: time.optional().describe("Received at this time or later."),
  to: time.optional().describe("Received before this time."),
});

const callbackFields = {
  id: answeredId,
  receivedAt: time,
  source: z.string(),
  method: z.string(),
  path: z.string().describe("With the token masked."),
  reference: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  foundBy: z.string().nullable(),
  verdict: verdict
    .nullable()
    .describe("The best verdict of its invoices, or its own; null before the first answer."),
  invoiceIds: z.array(answeredId),
  bytes: z.number().int().nullable().describe("Size of the body as it was sent; null once erased."),
  erasedAt: time.nullable(),
};

export const listedCallback = z.object(callbackFields);
export const callbackPage = pageOf(listedCallback);
export type ListedCallback = z.output<typeof listedCallback>;
export type CallbackPage = z.output<typeof callbackPage>;

export const callbackShown = z.object({
  ...callbackFields,
  query: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).describe("In their original order; secrets are ***."),
  ...bodyShown,
  cut: z
    .object({
      overBudget: z.string().nullable(),
      body: z.object({ bytes: z.number().int(), sha256: z.string() }).nullable(),
      unread: z.array(z.string()),
    })
    .nullable()
    .describe("What was cut off before it was stored or read; usually null."),
  erasedDigest: z.string().nullable().describe("SHA-256 (hex) of the erased body."),
  ids: z.array(
    z.object({
      invoiceId: answeredId,
      foundBy: z.string().nullable().describe("`replay` if a later reading found it."),
      at: z
        .number()
        .int()
        .nullable()
        .describe("Its offset in `text`, in UTF-16 units; null when it is not in there."),
      state: z.enum(["due", "claimed", "done", "dead"]).nullable(),
      verdict: toldVerdict.nullable(),
    }),
  ),
  readings: z
    .array(
      z.object({
        replayId: answeredId,
        readAt: time,
        foundBy: z.string(),
        invoiceIds: z.array(answeredId),
      }),
    )
    .describe("What replays found in it later."),
});
export type CallbackShown = z.output<typeof callbackShown>;
