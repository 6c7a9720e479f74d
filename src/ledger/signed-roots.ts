import type { Database } from "../database/tables.ts";
import type { Signed, Signer } from "../signing/signed.ts";
import { issue } from "../signing/signing-keys.ts";
import { readRoots } from "./proofs.ts";

/** A root as docs/ledger.md describes it. */
export interface RootDocument {
  version: "1";
  kind: "root";
  source: string;
  /** How many leaves, in decimal digits. */
  size: string;
  /** In hex. */
  root: string;
  /** When the last of them was taken in; ISO 8601, UTC. */
  at: string;
}

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
