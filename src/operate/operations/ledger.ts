import { z } from "zod";
import type { Database } from "../../database/tables.ts";
import { inSnapshot } from "../../database/transactions.ts";
import { readLastCheck } from "../../ledger/check-ledger.ts";
import type { Finding } from "../../ledger/findings.ts";
import { proveConsistency } from "../../ledger/proofs.ts";
import { issueRoots, type RootDocument } from "../../ledger/signed-roots.ts";
import { UNCOVERED, verifyLedger } from "../../ledger/verify.ts";
import { countGiven, timeGiven, whole } from "./fields.ts";
import { operationsAbout } from "./operation.ts";

const { get, post } = operationsAbout("Proof");

const hex = z.string().regex(/^[0-9a-f]{64}$/, { error: "should be 64 hex digits" });

export const ledgerRoot = z.object({
  version: z.literal("1", { error: "is of another version than 1" }),
  kind: z.literal("root", { error: "is no root of a ledger" }),
  source: z.string(),
  size: z.string().regex(/^[1-9]\d{0,14}$/, { error: "should be a number of leaves, 1 or more" }),
  root: hex,
  at: z.iso.datetime(),
});

const finding = z.object({
  what: z.enum(["changed", "added", "removed", "tree", "behind", "different"]),
  source: z.string(),
  kind: z.string().nullable(),
  key: z.string().nullable(),
  at: z.string().nullable().describe("The time of the row, or of the root."),
  columns: z.array(z.string()).describe("What was changed; of several columns one in 256 is left out."),
  detail: z.string(),
}) satisfies z.ZodType<Finding>;

const MOST_LEAVES = 999_999_999_999_999;

async function pathSince(db: Database, { source, size }: RootDocument, since: number) {
  if (since > Number(size)) return null;
  return (await proveConsistency(db, source, since, Number(size))).map((one) => one.toString("hex"));
}

const counts = { leaves: whole, rows: whole, findings: z.array(finding), findingsInAll: whole };

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
        ledgerRoot.extend({
          path: z
            .array(hex)
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
        .describe("What signs certificates, month closings and roots; null without LEDGER_SIGNING_KEY."),
      lastCheck: z
        .object({ at: z.string(), whole: z.boolean(), wholeAt: z.string(), ...counts })
        .nullable()
        .describe("Made daily over what is new, monthly over everything."),
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
      roots: z.array(ledgerRoot).max(1_000).optional().describe("roots that were kept elsewhere"),
    }),
    example: { body: { from: "2026-11-01" } },
    result: z.object({
      proves: z
        .enum(["consistent", "unchanged"])
        .describe(
          "`consistent`: with itself, which a superuser can bring about; `unchanged`: since the given roots.",
        ),
      withoutRoot: z.array(z.string()).describe("With roots: the trees that none of them is of."),
      uncovered: z.record(z.string(), z.array(z.string())).describe("Columns that no leaf covers, by table."),
      ...counts,
      replaced: whole.describe("Leaves of answers and verdicts that newer ones replaced."),
      retired: z
        .object({ count: whole, lastAt: z.string().nullable() })
        .describe("Leaves of rows that retention took, and its last run that did."),
      pending: whole.describe("Rows that get a leaf within minutes."),
    }),
    tellsProgress: true,
    run: async ({ db, onProgress, left }, { body: { roots = [], ...range } }) => ({
      uncovered: Object.fromEntries(
        Object.entries(UNCOVERED).map(([table, columns]) => [table, [...columns]]),
      ),
      ...(await verifyLedger({
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
      })),
    }),
  }),
] as const;
