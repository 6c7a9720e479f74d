import { type Json, READING_LIMITS, type UnreadSet } from "./parse-json.ts";
import { PLACES, PLACES_DEPTH, plainName } from "./places.ts";
import { asUuid } from "./uuid.ts";

export interface Found {
  /** Lower case, distinct, in the order found; the first hundred. */
  invoiceIds: string[];
  /** The places that held them, such as `data.id` or `events[].data.id`; several are joined by a comma. */
  foundBy: string;
}

/** Null when none of the places (places.ts) holds a UUID. It goes no deeper than PLACES_DEPTH. */
export function findInPlaces(document: Json, unread: UnreadSet): Found | null {
  const taken: Taken = { ids: new Set(), places: new Set(), unread };
  if (!readCallbackAt("", document, PLACES_DEPTH, taken)) return null;
  return { invoiceIds: [...taken.ids], foundBy: [...taken.places].join(", ") };
}

interface Taken {
  ids: Set<string>;
  places: Set<string>;
  unread: UnreadSet;
}

/** Takes the ids of the callback, or array of callbacks, that stands at `at`. @returns whether it had any. */
function readCallbackAt(at: string, value: Json, depth: number, taken: Taken): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return readElements(`${at}[]`, value, depth - 1, taken);
  const prefix = at === "" ? "" : `${at}.`;
  const valuesByPlace: Json[][] = [];
  collect(value, PLACE_TREE, valuesByPlace);
  let isEnvelope = false;
  for (let rank = 0; rank < valuesByPlace.length; rank++) {
    const place = TREE_PLACES[rank];
    if (place === undefined || (isEnvelope && place.path === "id")) continue;
    let took = false;
    for (const candidate of valuesByPlace[rank] ?? []) {
      const tookThis = place.isCallback
        ? readCallbackAt(prefix + place.path, candidate, depth - 1, taken)
        : takeIds(prefix + place.path, candidate, taken);
      took ||= tookThis;
      isEnvelope ||= place.isCallback && typeof candidate === "object" && candidate !== null;
    }
    if (took) return true;
  }
  return false;
}

function readElements(at: string, elements: readonly Json[], depth: number, taken: Taken): boolean {
  let took = false;
  for (const element of elements) {
    // An array of bare ids is a batch too.
    const tookThis =
      typeof element === "string" ? takeIds(at, element, taken) : readCallbackAt(at, element, depth, taken);
    took ||= tookThis;
  }
  return took;
}

function takeIds(at: string, value: Json, taken: Taken): boolean {
  const values = Array.isArray(value) ? value : [value];
  let took = false;
  for (const one of values) {
    const uuid = typeof one === "string" ? asUuid(one) : null;
    if (uuid === null) continue;
    took = true;
    if (taken.ids.size >= READING_LIMITS.ids && !taken.ids.has(uuid)) {
      taken.unread.add("ids");
      break;
    }
    taken.ids.add(uuid);
    taken.places.add(at);
  }
  return took;
}

/** One pass over the keys for all places; a key spelled in several ways (`id` and `Id`) gives several values. */
function collect(record: { [key: string]: Json }, branch: PlaceBranch, valuesByPlace: Json[][]): void {
  for (const key in record) {
    const below = branchNamed(branch, key);
    const value = record[key];
    if (below === undefined || value === undefined) continue;
    if (below.rank !== null) {
      const values = valuesByPlace[below.rank];
      if (values === undefined) valuesByPlace[below.rank] = [value];
      else values.push(value);
    }
    if (below.hasBranches && typeof value === "object" && value !== null && !Array.isArray(value)) {
      collect(value, below, valuesByPlace);
    }
  }
}

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
  /** By the plain spelling, grouped by its first letter, so that most other keys are ruled out at a glance. */
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
