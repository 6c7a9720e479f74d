/** Something that is not as the ledger has it. */
export interface Finding {
  /**
   * `tree`: the tree itself; `behind`: it lacks what a root outside stands for; `different`: it does not begin
   * with that; else what happened to a row.
   */
  what: "changed" | "added" | "removed" | "tree" | "behind" | "different";
  source: string;
  kind: string | null;
  key: string | null;
  /** The time of the row, or of the root. */
  at: string | null;
  /** Which columns were changed; of several, one in 256 is left out. */
  columns: string[];
  detail: string;
}

export interface Verified {
  /** `consistent`: with itself, which a superuser can bring about; `unchanged`: since the roots outside. */
  proves: "consistent" | "unchanged";
  /** With roots outside: the trees that none of them is of. */
  withoutRoot: string[];
  leaves: number;
  /** Rows that were compared with their leaves. */
  rows: number;
  /** Leaves of replaced answers and verdicts, and of rows that retention took. */
  replaced: number;
  retired: { count: number; lastAt: string | null };
  /** Rows that will get a leaf with the next ones. */
  pending: number;
  findings: Finding[];
  findingsInAll: number;
}

/** A finding in a line. */
export const findingText = ({ what, kind, key, at, columns, detail }: Finding): string =>
  kind === null
    ? `${what}: ${detail}`
    : `${kind} ${key} of ${at} ${what}${columns.length > 0 ? ` (${columns.join(", ")})` : ""}: ${detail}`;
