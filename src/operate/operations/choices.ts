import { z } from "zod";
import { seenCollections } from "../../confirm/invoices/seen-collections.ts";
import { operation } from "./operation.ts";

/** What there is to choose from, for whoever filters a list. */
export const choiceOperations = [
  operation({
    id: "listCollections",
    method: "get",
    path: "/collections",
    tag: "Invoices",
    summary: "Name the collections that the last payments of each source were in",
    result: z.object({ items: z.array(z.object({ source: z.string(), name: z.string() })) }),
    run: async ({ db }) => ({ items: await seenCollections(db) }),
  }),
] as const;
