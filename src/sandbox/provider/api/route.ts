import { type OperationName, operations } from "../../../collection-api/contract/index.ts";

export type Paths = Readonly<Partial<Record<OperationName, string | undefined>>>;

export type Route =
  | { readonly found: "operation"; readonly name: OperationName; readonly id: string | undefined }
  /** The address is known, but not under this method. */
  | { readonly found: "wrong-method"; readonly allow: readonly string[] }
  | { readonly found: "nothing" };

/**
 * The operation at a path, compared without case as the provider's SDK needs it (interface, part B).
 * @param path without query; `id` comes out as it stands there, percent signs included.
 * @param paths what takes the place of the contract's own.
 */
export function routeOf(method: string, path: string, paths: Paths): Route {
  const parts = partsOf(path);
  const allow: string[] = [];
  for (const name of Object.keys(operations) as OperationName[]) {
    const operation = operations[name];
    const match = matchOf(partsOf(paths[name] ?? operation.path), parts);
    if (match === undefined) continue;
    if (operation.method === (method === "HEAD" ? "GET" : method))
      return { found: "operation", name, id: match.id };
    allow.push(operation.method);
  }
  return allow.length > 0 ? { found: "wrong-method", allow } : { found: "nothing" };
}

const partsOf = (path: string) => path.replace(/^\//, "").replace(/\/$/, "").split("/");

function matchOf(
  pattern: readonly string[],
  parts: readonly string[],
): { id: string | undefined } | undefined {
  if (pattern.length !== parts.length) return undefined;
  let id: string | undefined;
  for (const [nth, wanted] of pattern.entries()) {
    const part = parts[nth] ?? "";
    if (wanted === "{id}" && part !== "") id = part;
    else if (wanted.toLowerCase() !== part.toLowerCase()) return undefined;
  }
  return { id };
}
