import { z } from "zod";

// Fields of what is answered, whatever it is about.

/** A Date here, ISO 8601 text in JSON. */
export const time = z.coerce.date().describe("ISO 8601, UTC.");

export const answeredId = z.guid();

export const decimal = z.string().describe("A decimal string, exact.");

export const whole = z.number().int();
