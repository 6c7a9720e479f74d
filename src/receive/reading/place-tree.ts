import { PLACES } from "./places.ts";
import { plainName } from "./plain-name.ts";

export interface TreePlace {
  /** As in PLACES, without the `.*`. */
  path: string;
  /** Written `a.*`: what stands there is a callback of its own. */
  isCallback: boolean;
}

/** One key on the way to a place. */
export interface PlaceBranch {
  /** The index in TREE_PLACES of the place that ends here, or null. */
  rank: number | null;
  hasBranches: boolean;
  /** By the key as PLACES spells it. */
  exact: Map<string, PlaceBranch>;
  /**
   * By the plain spelling, grouped by its first letter, so that most other keys are ruled out at a glance.
   */
  byFirstLetter: Map<number, { plain: string; branch: PlaceBranch }[]>;
}

/** PLACES in their order. */
export const TREE_PLACES: readonly TreePlace[] = PLACES.map((place) => {
  const path = place.replace(/\.\*$/, "");
  return { path, isCallback: path !== place };
});

/** The same as a tree of keys: a record is compared with all places in one pass over its keys. */
export const PLACE_TREE: PlaceBranch = growTree();

/** The branch for a key of a record, whatever its case, `_` and `-`. */
export function branchNamed(parent: PlaceBranch, key: string): PlaceBranch | undefined {
  const exact = parent.exact.get(key);
  if (exact !== undefined) return exact;
  // Bit 32 is what tells an ASCII capital from its small letter.
  const alike = parent.byFirstLetter.get(key.charCodeAt(0) | 32);
  if (alike === undefined) return undefined;
  // No listed name could be written with more than two separators.
  const mayBe = ({ plain }: { plain: string }) =>
    key.length >= plain.length && key.length <= plain.length + 2;
  if (!alike.some(mayBe)) return undefined;
  const plain = plainName(key);
  return alike.find((candidate) => candidate.plain === plain)?.branch;
}

function growTree(): PlaceBranch {
  const root = emptyBranch();
  for (const [rank, { path }] of TREE_PLACES.entries()) {
    let branch = root;
    for (const name of path.split(".")) branch = branch.exact.get(name) ?? addBranch(branch, name);
    branch.rank = rank;
  }
  return root;
}

function addBranch(parent: PlaceBranch, name: string): PlaceBranch {
  const branch = emptyBranch();
  const plain = plainName(name);
  const letter = plain.charCodeAt(0);
  parent.exact.set(name, branch);
  parent.byFirstLetter.set(letter, [...(parent.byFirstLetter.get(letter) ?? []), { plain, branch }]);
  parent.hasBranches = true;
  return branch;
}

function emptyBranch(): PlaceBranch {
  return { rank: null, hasBranches: false, exact: new Map(), byFirstLetter: new Map() };
}
