import type { Request, Response } from "express";
import { z } from "zod";
import { ownWords, problemsOf } from "../../../collection-api/contract/index.ts";
import { REFUSALS } from "../api/refusals.ts";
import { sendRefusal } from "../api/send-answer.ts";

export const byId = z.object({ id: z.guid("should be a UUID") });

/** The value, or undefined after a 400 that names each problem's field. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: Request["body"],
  response: Response,
): z.output<Schema> | undefined {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  sendRefusal(response, REFUSALS.invalid(...problemsOf(result.error)));
  return undefined;
}
