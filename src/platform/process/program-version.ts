import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version in the package's own package.json, which stands above the sources and above dist/. */
export function programVersion(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = read(join(folder, "package.json"));
    if (file?.name === "invoice-relay" && file.version !== undefined) return file.version;
  }
  return "unknown";
}

function read(file: string): { name?: string; version?: string } | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
