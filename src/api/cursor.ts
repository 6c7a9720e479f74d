import { z } from "zod";
import type { Page as Found, PagePosition } from "../database/page.ts";

/** A time as Postgres writes it, in any zone, and the id and source that break ties. */
const place = z.tuple([z.string().regex(/^[\d :.+-]{10,40}$/), z.guid(), z.string().max(40)]);

/** `next` of a page, as the following request sends it back. */
export const cursor = z
  .string()
  .max(300)
  .transform((text, context): PagePosition => {
    try {
      const [at, id, source] = place.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
      return { at, id, source };
    } catch {
      context.addIssue("should be `next` of the previous page");
      return z.NEVER;
    }
  });

/** A page, as it is sent. */
export const pageFrom = <Item>({ items, next }: Found<Item>) => ({
  items,
  next:
    next === null ? null : Buffer.from(JSON.stringify([next.at, next.id, next.source])).toString("base64url"),
  searchedTo: next === null ? null : new Date(next.at),
});
