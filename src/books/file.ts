import { randomUUID } from "node:crypto";
import { open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type ErrorCode, RelayError, usageError } from "../kit/errors.ts";

export type Parts = AsyncIterable<string | Uint8Array>;

/**
 * Writes a file that is there as a whole or not at all: to a temporary file beside it, which is flushed to the
 * disk and then takes its name. An older file of that name stays untouched until then. A device or a pipe, which
 * cannot be replaced, is written to as the parts come. What a killed process left of the same file is removed.
 * @returns how many bytes were written.
 * @throws RelayError when the folder is missing or cannot be written to; whatever `parts` throws, and then
 * nothing is left behind.
 */
export async function writeWholeFile(path: string, parts: Parts): Promise<number> {
  const target = await targetOf(path);
  if (!target.replaceable) return await writeTo(target.path, "w", parts);
  const unfinished = join(dirname(target.path), `.${basename(target.path)}.${randomUUID()}.part`);
  await removeAbandoned(target.path);
  try {
    const bytes = await writeTo(unfinished, "wx", parts);
    await rename(unfinished, target.path);
    return bytes;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** So long after its last byte nobody writes an unfinished file any more, in ms: its process was killed. */
const ABANDONED_MS = 3_600_000;

async function removeAbandoned(target: string): Promise<void> {
  const begin = `.${basename(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(begin) || !/^[0-9a-f-]{36}\.part$/.test(name.slice(begin.length))) continue;
    const path = join(dirname(target), name);
    const found = await stat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path).catch(() => undefined);
  }
}

/** Where the bytes go in the end: behind a link, so that the link stays. */
async function targetOf(path: string): Promise<{ path: string; replaceable: boolean }> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { path: resolve(path), replaceable: true };
  if (found.isDirectory()) throw usageError(`${path} is a folder. Name a file in it.`);
  return { path: await realpath(path), replaceable: found.isFile() };
}

async function writeTo(path: string, flags: "w" | "wx", parts: Parts): Promise<number> {
  const folder = dirname(path);
  const refuse = (code?: ErrorCode) => (error: NodeJS.ErrnoException) => {
    const what =
      error.code === "ENOENT" ? `There is no folder ${folder}` : `${path} cannot be written (${error.code})`;
    const says = `${what}. Name a file elsewhere.`;
    throw new RelayError(says, { code, cause: error });
  };
  const file = await open(path, flags).catch(refuse("usage"));
  try {
    let written = 0;
    for await (const part of parts) {
      const bytes = typeof part === "string" ? Buffer.from(part) : part;
      await file.writeFile(bytes).catch(refuse());
      written += bytes.length;
    }
    if (flags === "wx") await file.sync().catch(refuse());
    return written;
  } finally {
    await file.close();
  }
}
