import { z } from "zod";
import type { Database } from "../../database/tables.ts";
import { inSnapshot } from "../../database/transactions.ts";
import { readLastCheck } from "../../ledger/check-ledger.ts";
import { lastCheck, verified } from "../../ledger/findings.ts";
import { proveConsistency } from "../../ledger/proofs.ts";
import { hashText, issueRoots, type RootDocument, rootDocument } from "../../ledger/signed-roots.ts";
import { verifyLedger } from "../../ledger/verify.ts";
import { countGiven, timeGiven } from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Proof");

const MOST_LEAVES = 999_999_999_999_999;

async function pathSince(db: Database, { source, size }: RootDocument, since: number) {
  if (since > Number(size)) return null;
  return (await proveConsistency(db, source, since, Number(size))).map((one) => one.toString("hex"));
}

export const ledgerOperations = [
  get("readLedger", "/ledger", {
    summary: "Size and root of each tree of the ledger, and what its last check found",
    query: z.object({
      since: countGiven(1, MOST_LEAVES)
        .optional()
        .describe("an older size: each root comes with the proof that its tree begins with that one"),
    }),
    example: { query: { since: 1000 } },
    result: z.object({
      roots: z.array(
        rootDocument.extend({
          path: z
            .array(hashText)
            .nullable()
            .optional()
            .describe(
              "With `since`: the consistency proof (RFC 9162, 2.1.4); null where the tree is smaller.",
            ),
        }),
      ),
      signingKeyId: z
        .string()
        .nullable()
        .describe("What signs certificates and roots; null without LEDGER_SIGNING_KEY."),
      lastCheck: lastCheck.nullable().describe("Made daily over what is new, monthly over everything."),
    }),
    run: ({ db, signer }, { query: { since } }) =>
      inSnapshot(db, async (snapshot) => {
        const roots = await issueRoots(snapshot, null);
        return {
          roots: await Promise.all(
            roots.map(async ({ signature: _, ...root }) => ({
              ...root,
              ...(since === undefined ? {} : { path: await pathSince(snapshot, root, since) }),
            })),
          ),
          signingKeyId: signer?.keyId ?? null,
          lastCheck: await readLastCheck(snapshot),
        };
      }),
  }),
  post("verifyLedger", "/ledger/verify", {
    summary: "Read the tables against the ledger: what was changed, added or removed since",
    role: "read",
    body: z.strictObject({
      from: timeGiven.optional().describe("only rows of this time or later"),
      to: timeGiven.optional().describe("only rows from before this time"),
      roots: z.array(rootDocument).max(1_000).optional().describe("roots that were kept elsewhere"),
    }),
    example: { body: { from: "2026-11-01" } },
    result: verified,
    tellsProgress: true,
    run: ({ db, onProgress, left }, { body: { roots = [], ...range } }) =>
      verifyLedger({
        db,
        ...range,
        roots: roots.map(({ size, ...root }) => ({ ...root, size: Number(size) })),
        stop: left,
        onProgress: (done, total) =>
          onProgress({
            source: "ledger",
            collectionId: null,
            step: "ledger",
            done,
            total: Math.max(done, total),
          }),
      }),
  }),
] as const;
