import { z } from "zod";
import { whole } from "../kit/answer-fields.ts";

/** Something that is not as the ledger has it. */
export const finding = z.object({
  /**
   * `tree`: the tree itself; `behind`: it lacks what a root outside stands for; `different`: it does not begin
   * with that; else what happened to a row.
   */
  what: z.enum(["changed", "added", "removed", "tree", "behind", "different"]),
  source: z.string(),
  kind: z.string().nullable(),
  key: z.string().nullable(),
  at: z.string().nullable().describe("The time of the row, or of the root."),
  columns: z.array(z.string()).describe("What was changed; of several columns one in 256 is left out."),
  detail: z.string(),
});
export type Finding = z.output<typeof finding>;

const counted = { leaves: whole, rows: whole, findings: z.array(finding), findingsInAll: whole };

export const verified = z.object({
  proves: z
    .enum(["consistent", "unchanged"])
    .describe(
      "`consistent`: with itself, which a superuser can bring about; `unchanged`: since the given roots.",
    ),
  withoutRoot: z.array(z.string()).describe("With roots: the trees that none of them is of."),
  uncovered: z.record(z.string(), z.array(z.string())).describe("Columns that no leaf covers, by table."),
  ...counted,
  replaced: whole.describe("Leaves of answers and verdicts that newer ones replaced."),
  retired: z
    .object({ count: whole, lastAt: z.string().nullable() })
    .describe("Leaves of rows that retention took, and its last run that did."),
  pending: whole.describe("Rows that get a leaf within minutes."),
});
export type Verified = z.output<typeof verified>;

/** What the last check by itself found; `wholeAt`: when everything was last read. */
export const lastCheck = z.object({ at: z.string(), whole: z.boolean(), wholeAt: z.string(), ...counted });
export type LastCheck = z.output<typeof lastCheck>;

/** What is wrong with a whole tree. @param at the time of the root that it is compared with. */
export const findingOfTree = (
  what: Finding["what"],
  source: string,
  detail: string,
  at: string | null = null,
): Finding => ({ what, source, kind: null, key: null, at, columns: [], detail });
