import { z } from "zod";
import { TOLD_VERDICTS } from "../../confirmations/confirmation.ts";
import { OWN_VERDICTS } from "../../record/own-verdict.ts";
import { cursor } from "./cursor.ts";

// What the schemas of the admin API have in common.

export const time = z.iso.datetime({ offset: true }).meta({ description: "ISO 8601; answers are in UTC." });

/** As it is given: in any case. */
export const id = z.uuid().transform((text) => text.toLowerCase());
export const bodyShown = {
  body: z.string().meta({ description: "In base64, callback tokens masked; empty once erased." }),
  bodyIs: z.enum(["as_came", "masked", "text"]).meta({
    description:
      "The bytes as they came; the same, tokens masked; or the masked `text`, where they were packed.",
  }),
  text: z
    .string()
    .nullable()
    .meta({ description: "Unpacked and decoded, callback tokens masked; null if erased." }),
};

export const answeredId = z.uuid();

/** A day of payment, UTC. */
export const day = z.iso.date();

/** In an answer. */
export const decimal = z.string().meta({ description: "A decimal string, exact." });

export const reason = z
  .string()
  .max(500)
  .optional()
  .meta({ description: "Why, for the audit log; no personal data." });

/** Of an invoice. */
export const toldVerdict = z.enum(TOLD_VERDICTS).meta({ description: "`dead`: given up, a dead letter." });
/** Of a callback. */
export const verdict = z.enum([...TOLD_VERDICTS, ...OWN_VERDICTS]);

export const sourceInQuery = z.object({
  source: z.string().optional().meta({ description: "Only this source, where several know the id." }),
});
export const limitInQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(50).meta({ description: "The most to list." }),
});

/** Of lists that may be long: a page has a bounded cost, whatever the filters. */
export const pageInQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).meta({ description: "The most to list." }),
  cursor: cursor.optional().meta({ description: "`next` of the page before, with the same filters." }),
});

/**
 * A page that found less than asked for may have stopped to look on later: `next` says whether to ask again.
 */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().meta({
      description: "The cursor of the next page, also of one that found nothing yet; null at the end.",
    }),
    searchedTo: time
      .nullable()
      .meta({ description: "How far back this page has looked; null when it looked at all there is." }),
  });
