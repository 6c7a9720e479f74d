import { z } from "zod";
import type { Database } from "../database/tables.ts";
import type { Signed, Signer } from "../signing/signed.ts";
import { issue } from "../signing/signing-keys.ts";
import { readRoots } from "./proofs.ts";

export const hashText = z.string().regex(/^[0-9a-f]{64}$/, { error: "should be 64 hex digits" });

/** A root as docs/ledger.md describes it; `at`: when the last of its leaves was taken in. */
export const rootDocument = z.object({
  version: z.literal("1", { error: "is of another version than 1" }),
  kind: z.literal("root", { error: "is no root of a ledger" }),
  source: z.string(),
  size: z.string().regex(/^[1-9]\d{0,14}$/, { error: "should be a number of leaves, 1 or more" }),
  root: hashText,
  at: z.iso.datetime(),
});
export type RootDocument = z.output<typeof rootDocument>;

/** The root of each tree that has a leaf, signed if there is a key. @param issueOne how. */
export async function issueRoots(
  db: Database,
  signer: Signer | null,
  issueOne: typeof issue = issue,
): Promise<Signed<RootDocument>[]> {
  const issued: Signed<RootDocument>[] = [];
  for (const { source, size, root, at } of await readRoots(db)) {
    const document: RootDocument = {
      ...{ version: "1", kind: "root", source, size: String(size) },
      ...{ root: root.toString("hex"), at: at.toISOString() },
    };
    issued.push(await issueOne(db, signer, "root", document));
  }
  return issued;
}
