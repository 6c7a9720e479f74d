import { type Json, READING_LIMITS } from "./parse-json.ts";
import { PLACES, PLACES_DEPTH, plainName } from "./places.ts";
import { asUuid } from "./uuid.ts";

export interface Found {
  /** Lower case, distinct, in the order found; the first hundred. */
  invoiceIds: string[];
  /** The places that held them, such as `data.id` or `events[].data.id`; several are joined by a comma. */
  foundBy: string;
}

/** Null when none of the places (places.ts) holds a UUID. It goes no deeper than PLACES_DEPTH. */
export function findInPlaces(document: Json): Found | null {
  const taken: Taken = { ids: new Set(), places: new Set(), listed: new Map() };
  if (!readCallbackAt("", document, PLACES_DEPTH, taken)) return null;
  return { invoiceIds: [...taken.ids], foundBy: [...taken.places].join(", ") };
}

type JsonObject = { [key: string]: Json };

interface Taken {
  ids: Set<string>;
  places: Set<string>;
  /** What `listedKeys` found, so that no record's keys are looked through twice. */
  listed: Map<JsonObject, ListedKeys>;
}

/** The values of a record under names that occur in PLACES, by `plainName`; `id` and `Id` give two values. */
type ListedKeys = Map<string, Json[]>;

const NONE: ListedKeys = new Map();

const LISTED = PLACES.map((place) => {
  const path = place.replace(/\.\*$/, "");
  const [first = "", ...below] = path.split(".").map(plainName);
  /** Written `a.*`: what stands there is a callback of its own. */
  const isCallback = path !== place;
  return { path, first, below, isCallback };
});
const LISTED_NAMES: ReadonlySet<string> = new Set(LISTED.flatMap(({ first, below }) => [first, ...below]));
const LONGEST_KEY = 2 + Math.max(...[...LISTED_NAMES].map((name) => name.length));

/** Takes the ids of the callback, or array of callbacks, that stands at `at`. @returns whether it had any. */
function readCallbackAt(at: string, value: Json, depth: number, taken: Taken): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return readElements(`${at}[]`, value, depth - 1, taken);
  const keys = listedKeys(value, taken);
  if (keys.size === 0) return false;
  const prefix = at === "" ? "" : `${at}.`;
  let isEnvelope = false;
  for (const { path, first, below, isCallback } of LISTED) {
    let values: readonly Json[] | undefined = keys.get(first);
    if (values === undefined || (isEnvelope && path === "id")) continue;
    for (const name of below) values = valuesUnder(values, name, taken);
    let took = false;
    for (const candidate of values) {
      const tookThis = isCallback
        ? readCallbackAt(prefix + path, candidate, depth - 1, taken)
        : takeIds(prefix + path, candidate, taken);
      took ||= tookThis;
      isEnvelope ||= isCallback && typeof candidate === "object" && candidate !== null;
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
    if (taken.ids.size >= READING_LIMITS.ids) break;
    taken.ids.add(uuid);
    taken.places.add(at);
  }
  return took;
}

function valuesUnder(values: readonly Json[], name: string, taken: Taken): readonly Json[] {
  const [only] = values;
  // Nearly always, and it spares an array for each place.
  if (values.length === 1 && only !== undefined) return listedKeys(only, taken).get(name) ?? [];
  return values.flatMap((one) => listedKeys(one, taken).get(name) ?? []);
}

function listedKeys(value: Json, { listed }: Taken): ListedKeys {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NONE;
  const known = listed.get(value);
  if (known !== undefined) return known;
  let keys = NONE;
  for (const key in value) {
    const plain = key.length > LONGEST_KEY ? "" : plainName(key);
    const under = value[key];
    if (!LISTED_NAMES.has(plain) || under === undefined) continue;
    if (keys === NONE) keys = new Map();
    const values = keys.get(plain);
    if (values === undefined) keys.set(plain, [under]);
    else values.push(under);
  }
  listed.set(value, keys);
  return keys;
}
