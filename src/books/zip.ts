import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { Parts } from "./file.ts";

export interface ZipEntry {
  /** Its path inside, with `/`. */
  path: string;
  /** Called once, when those before it have been written. */
  parts(): Parts | readonly string[];
}

/**
 * Files as one ZIP, made as it is read: no more than a part of one file is in memory.
 * @param madeAt what unpacked files bear as their time.
 * @throws whatever one of the parts throws.
 */
export async function* zipParts(entries: readonly ZipEntry[], madeAt: Date): Parts {
  const zip = new ZipFile();
  // Its streams are those of Node, which the types of the package name only by what pipes need.
  const output = zip.outputStream as Readable;
  let source: Readable | null = null;
  zip.on("error", (error: Error) => output.destroy(error));
  for (const { path, parts } of entries)
    zip.addReadStreamLazy(path, { mtime: madeAt, mode: 0o100644 }, (ready) => {
      // Nobody reads it any more.
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
