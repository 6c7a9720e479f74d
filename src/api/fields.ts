import { z } from "zod";
import { TOLD_VERDICTS } from "../confirm/queue/confirmation.ts";
import { anyUuid } from "../kit/setting-formats.ts";
import { OWN_VERDICTS } from "../receive/log/own-verdict.ts";
import { cursor } from "./cursor.ts";

// Shared by the schemas of the admin API.

export const time = z.iso.datetime({ offset: true }).describe("ISO 8601; answers are in UTC.");

/** Any UUID, in upper or lower case. */
export const id = anyUuid;
export const bodyShown = {
  body: z.string().describe("Base64, with callback tokens masked; empty once erased."),
  bodyIs: z
    .enum(["as_came", "masked", "text"])
    .describe(
      "The original bytes, the bytes with tokens masked, or the masked `text` if they were compressed.",
    ),
  text: z
    .string()
    .nullable()
    .describe("Decompressed and decoded, with callback tokens masked; null if erased."),
};

export const answeredId = z.guid();

/** A day of payment, UTC. */
export const day = z.iso.date();

/** Of a response. */
export const decimal = z.string().describe("A decimal string, exact.");

export const reason = z.string().max(500).optional().describe("Why, for the audit log; no personal data.");

/** Of an invoice's confirmation. */
export const toldVerdict = z.enum(TOLD_VERDICTS).describe("`dead`: given up, a dead letter.");
/** Of a callback, which may open no confirmation. */
export const verdict = z.enum([...TOLD_VERDICTS, ...OWN_VERDICTS]);

export const sourceInQuery = z.object({
  source: z.string().optional().describe("The source, if several know the id."),
});
export const limitInQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(50).describe("The most to list."),
});

/** Of lists that may be long: the cost of a page is bounded, whatever the filters. */
export const pageInQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("The most to list."),
  cursor: cursor.optional().describe("`next` of the previous page, with the same filters."),
});

/**
 * A page with fewer items than asked for may not be the last one: `next` says whether to continue.
 */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z
      .string()
      .nullable()
      .describe("The cursor of the next page, which may follow an empty page; null at the end."),
    searchedTo: time
      .nullable()
      .describe("How far back this page searched; null when it searched everything."),
  });
