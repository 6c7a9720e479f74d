import { z } from "zod";
import { numberRead, textRead } from "./tolerant-fields.ts";

const bankRead = z.looseObject({
  /** The number that Add Linked Account takes as `bankId`. */
  id: numberRead.refine((id): id is number => Number.isSafeInteger(id), "should be a whole number"),
  name: textRead,
  code: textRead,
  logo: textRead,
});

/**
 * Get Banks as the client reads it: a list, bare or as the items of a page (interface: shape not specified).
 */
export const banksRead = z.preprocess(
  (data) => (typeof data === "object" && data !== null && "items" in data ? data.items : data),
  z.array(bankRead),
);

export type Bank = z.output<typeof bankRead>;

/** Get Banks as the service writes it. */
export const banksWritten = z.array(
  z
    .object({
      id: z.int().min(1).describe("The number that Add Linked Account takes as bankId."),
      name: z.string(),
      code: z.string().describe("The clearing code."),
      logo: z.string().nullable(),
    })
    .meta({ id: "Bank" }),
);

export type BanksWritten = z.input<typeof banksWritten>;
