import { type Parts, writeWholeFile } from "../books/file.ts";
import { RelayError } from "../kit/errors.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * Writes a file whole; a person who stops the command meanwhile leaves nothing behind.
 * @returns how many bytes were written. @throws RelayError when it was stopped, or cannot be written.
 */
export async function writeFileUnlessStopped(
  context: CommandContext,
  file: string,
  parts: Parts,
): Promise<number> {
  const stop = context.listenForStop();
  const untilStopped = async function* () {
    for await (const part of parts) {
      if (stop.signal.aborted) throw new RelayError(`Stopped before the end: ${file} was not written.`);
      yield part;
    }
  };
  try {
    return await writeWholeFile(file, untilStopped());
  } finally {
    stop.release();
  }
}
