import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

/**
 * The bytes of a body as a corpus file writes them; each form can hold others.
 * - `"text"`: as UTF-8. `{"json": …}`: that value as JSON. `{"hex": "ff fe"}`.
 * - `{"join": [a, b]}`: one after the other.
 * - `{"repeat": a, "times": 3}`: that often; a `{n}` in a repeated text counts 000000000001, 000000000002, …
 * - `{"gzip": a}`, `{"deflate": a}`, `{"deflateRaw": a}`, `{"br": a}`: compressed.
 */
type BodyRecipe =
  | string
  | { json: unknown }
  | { hex: string }
  | { join: BodyRecipe[] }
  | { repeat: BodyRecipe; times: number }
  | { gzip: BodyRecipe }
  | { deflate: BodyRecipe }
  | { deflateRaw: BodyRecipe }
  | { br: BodyRecipe };

interface WrittenCase {
  name: string;
  method?: string;
  /** What follows the token in the path, percent-encoded, with its slash. */
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: BodyRecipe;
  expect: {
    kind: "ids" | "ping" | "unreadable" | "too_large";
    ids?: string[] | { repeat: string; times: number };
    foundBy?: string;
  };
}

export interface CorpusCase {
  /** The file's name without `.json`. */
  group: string;
  name: string;
  method: string;
  /** Percent-encoded, with its slash; empty when the URL ends with the token. */
  path: string;
  /** As in the URL, without `?`. */
  query: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  expected: {
    kind: "ids" | "ping" | "unreadable" | "too_large";
    ids: string[];
    /** Null unless the kind is `ids`. */
    foundBy: string | null;
  };
}

/**
 * Every callback of the files beside this one. POST without headers, path and query unless written otherwise.
 */
export function loadCorpus(): CorpusCase[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const cases = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as WrittenCase[];
      return cases.map((written) => toCase(file.replace(/\.json$/, ""), written));
    });
}

function toCase(group: string, written: WrittenCase): CorpusCase {
  const { name, method = "POST", path = "", query = "", headers = {}, body = "", expect } = written;
  const { ids = [], foundBy = null, kind } = expect;
  return {
    group,
    name,
    method,
    path,
    query,
    headers,
    body: bytesOf(body),
    expected: { kind, foundBy, ids: Array.isArray(ids) ? ids : counted(ids.repeat, ids.times) },
  };
}

function bytesOf(recipe: BodyRecipe): Buffer {
  if (typeof recipe === "string") return Buffer.from(recipe);
  if ("json" in recipe) return Buffer.from(JSON.stringify(recipe.json));
  if ("hex" in recipe) return Buffer.from(recipe.hex.replaceAll(" ", ""), "hex");
  if ("join" in recipe) return Buffer.concat(recipe.join.map(bytesOf));
  if ("repeat" in recipe) {
    const bytes = bytesOf(recipe.repeat).toString("latin1");
    const text = bytes.includes("{n}") ? counted(bytes, recipe.times).join("") : bytes.repeat(recipe.times);
    return Buffer.from(text, "latin1");
  }
  if ("gzip" in recipe) return gzipSync(bytesOf(recipe.gzip));
  if ("deflate" in recipe) return deflateSync(bytesOf(recipe.deflate));
  if ("deflateRaw" in recipe) return deflateRawSync(bytesOf(recipe.deflateRaw));
  if ("br" in recipe) return brotliCompressSync(bytesOf(recipe.br));
  throw new Error(`the corpus has a body of an unknown form: ${JSON.stringify(recipe)}`);
}

function counted(text: string, times: number): string[] {
  return Array.from({ length: times }, (_, index) =>
    text.replaceAll("{n}", String(index + 1).padStart(12, "0")),
  );
}
