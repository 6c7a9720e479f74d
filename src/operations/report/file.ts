import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { type ErrorCode, RelayError, usageError } from "../../platform/errors/index.ts";

export type Parts = AsyncIterable<string | Uint8Array>;

/**
 * Writes a file as a whole or not at all: to a temporary file beside it, which is flushed to the disk and then takes
 * its name. An older file of that name stays untouched until then. A device or a pipe, which cannot be replaced,
 * is written to as the parts come.
 * @returns how many bytes were written.
 * @throws RelayError when the folder is missing or cannot be written to; every error of `parts`, after the temporary
 * file is removed.
 */
export async function writeWholeFile(path: string, parts: Parts): Promise<number> {
  const target = await targetOf(path);
  if (!target.replaceable) return await writeTo(target.path, "w", parts);
  const unfinished = join(dirname(target.path), `.${basename(target.path)}.${randomUUID()}.part`);
  try {
    const bytes = await writeTo(unfinished, "wx", parts);
    await rename(unfinished, target.path);
    return bytes;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
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

interface ZipEntry {
  /** Its path inside, with `/`. */
  path: string;
  /** Called once, when those before it have been written. */
  parts(): Parts | readonly string[];
}

/**
 * Files as one ZIP, made as it is read: no more than a part of one file is in memory.
 * @param madeAt what unpacked files bear as their time.
 * @throws the error of a part.
 */
export async function* zipParts(entries: readonly ZipEntry[], madeAt: Date): Parts {
  const zip = new ZipFile();
  // Its streams are those of Node, which the types of the package name only by what pipes need.
  const output = zip.outputStream as Readable;
  let source: Readable | null = null;
  zip.on("error", (error: Error) => output.destroy(error));
  for (const { path, parts } of entries)
    zip.addReadStreamLazy(path, { mtime: madeAt, mode: 0o100644 }, (ready) => {
      // Its reader is gone.
      if (output.destroyed) return;
      source = Readable.from(parts(), { objectMode: false });
      source.on("error", (error) => zip.emit("error", error));
      ready(null, source);
    });
  zip.end();
  try {
    yield* output;
  } finally {
    output.destroy();
    (source as Readable | null)?.destroy();
  }
}
