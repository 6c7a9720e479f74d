import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "./own-test.ts";

/**
 * A `SOURCES_FILE`, gone with the test.
 * @param content its text, or what is to be its JSON
 * @returns its path
 */
export function sourcesFile(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "sources-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sources.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
