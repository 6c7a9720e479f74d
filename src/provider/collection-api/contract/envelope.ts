import { z } from "zod";
import { textRead } from "./tolerant-fields.ts";

/** The refusals that the interface specifies word for word (part A). */
export const SPECIFIED_MESSAGES = {
  unknownInvoice: "Invoice with the given Id does not exist",
  notPayable: "The invoice has already been paid or is no longer valid",
} as const;

/** What surrounds every answer; `status` is text on some operations and a number on others (part A). */
export const envelopeRead = z.looseObject({
  status: textRead,
  message: textRead,
  /** The group of an error (part B). */
  type: textRead,
  errors: z
    .array(textRead)
    .nullish()
    .catch(null)
    .transform((errors) => (errors ?? []).filter((error) => error !== null)),
  data: z.unknown().optional(),
});

export type Envelope = z.output<typeof envelopeRead>;

/** Whether an envelope's status says that all went well: `success`, or a number from 200 to 299. */
export function saysSuccess(status: string | null): boolean {
  return status !== null && /^(success|2\d\d)$/i.test(status.trim());
}

/** An error's body (part B): `type` groups errors, `errors` names the fields. */
export const errorAnswer = z.object({
  status: z.int().min(400).max(599).describe("The HTTP status again."),
  message: z.string().describe("What is wrong, for a person."),
  type: z.string().meta({ description: "The group of the error.", examples: ["VALIDATION_ERROR"] }),
  errors: z.array(z.string()).describe("Each problem, starting with the field's name."),
});

export type ErrorAnswer = z.output<typeof errorAnswer>;
