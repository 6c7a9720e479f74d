import { z } from "zod";
import { moneyRead, moneyWritten } from "./money.ts";
import { utcTime, uuid } from "./strict-fields.ts";
import { idRead, textRead, timeRead } from "./tolerant-fields.ts";

/** A field as the client reads it, tolerantly, and as the service writes it, strictly. */
type Field = readonly [read: z.ZodType, written: z.ZodType];

/** The shapes for `z.object` of what is read and of what is written. */
export const bothWays = <const Fields extends Readonly<Record<string, Field>>>(fields: Fields) => {
  const side = (nth: 0 | 1) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[nth]]));
  return {
    read: side(0) as { [Name in keyof Fields]: Fields[Name][0] },
    written: side(1) as { [Name in keyof Fields]: Fields[Name][1] },
  };
};

export const id = [idRead, uuid] as const;
export const text = [textRead, z.string()] as const;
export const perhapsText = [textRead, z.string().nullable()] as const;
export const money = [moneyRead, moneyWritten] as const;
export const time = [timeRead, utcTime] as const;
export const perhapsTime = [timeRead, utcTime.nullable()] as const;

/** Text as it stands for the client; for the service one of these words. */
export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  [textRead, z.enum(words)] as const;
