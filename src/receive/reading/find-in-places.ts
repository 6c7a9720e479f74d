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

const LISTED = PLACES.map((place) => {
  const path = place.replace(/\.\*$/, "");
  /** Written `a.*`: what stands there is a callback of its own. */
  const isCallback = path !== place;
  return { path, names: path.split(".").map(plainName), isCallback };
});
const LISTED_NAMES: ReadonlySet<string> = new Set(LISTED.flatMap(({ names }) => names));
const LONGEST_KEY = 2 + Math.max(...[...LISTED_NAMES].map((name) => name.length));

/** Takes the ids of the callback, or array of callbacks, that stands at `at`. @returns whether it had any. */
function readCallbackAt(at: string, value: Json, depth: number, taken: Taken): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return readElements(`${at}[]`, value, depth - 1, taken);
  if (listedKeys(value, taken).size === 0) return false;
  const prefix = at === "" ? "" : `${at}.`;
  let isEnvelope = false;
  for (const { path, names, isCallback } of LISTED) {
    if (isEnvelope && path === "id") continue;
    let took = false;
    for (const candidate of valuesAt(value, names, taken)) {
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

function valuesAt(value: Json, [name, ...below]: readonly string[], taken: Taken): readonly Json[] {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const values = listedKeys(value, taken).get(name) ?? [];
  return below.length === 0 ? values : values.flatMap((one) => valuesAt(one, below, taken));
}

function listedKeys(record: JsonObject, { listed }: Taken): ListedKeys {
  const known = listed.get(record);
  if (known !== undefined) return known;
  const keys: ListedKeys = new Map();
  for (const key in record) {
    const plain = key.length > LONGEST_KEY ? "" : plainName(key);
    const value = record[key];
    if (!LISTED_NAMES.has(plain) || value === undefined) continue;
    const values = keys.get(plain);
    if (values === undefined) keys.set(plain, [value]);
    else values.push(value);
  }
  listed.set(record, keys);
  return keys;
}
