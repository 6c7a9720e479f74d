import { type FileHandle, open } from "node:fs/promises";
import type { Database } from "../database/tables.ts";
import { messageOf, RelayError } from "../kit/errors.ts";
import type { ReplaySteps } from "./replay.ts";
import { saveProgress } from "./replay-rows.ts";
import { selectEvents } from "./select-events.ts";

/** Events contain personal data, so only the owner may read the file. */
const OWNER_ONLY = 0o600;

/**
 * Writes events to a file as NDJSON, one payload a line, exactly as published. The progress includes the
 * file's length, so that after a crash every line is there once and whole.
 */
export const eventFileSteps = (db: Database, file: FileHandle): ReplaySteps => ({
  async next(replay, limit) {
    const { filters, target, position } = replay;
    const selection = { filters, target, routes: [], after: position, replayId: null, most: limit };
    const events = await selectEvents.execute(db, selection);
    const last = events.at(-1);
    if (last === undefined) return { kind: "ends" };
    const lines = Buffer.from(events.map((event) => `${event.payload}\n`).join(""));
    const before = position?.bytes ?? 0;
    try {
      await file.truncate(before);
      await writeWhole(file, lines, before);
      await file.datasync();
    } catch (error) {
      return { kind: "fails", why: `The file cannot be written: ${messageOf(error)}` };
    }
    const moved = { at: last.at, id: last.id, source: last.source, bytes: before + lines.length };
    const progress = { handled: events.length, sent: events.length, position: moved };
    return { kind: "went", replay: await saveProgress(db, replay, progress), taken: events.length };
  },
});

async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}

/**
 * Creates the empty file of a replay, readable only by its owner.
 * @throws RelayError when it already exists or cannot be created.
 */
export async function createEventFile(path: string): Promise<void> {
  try {
    await (await open(path, "wx", OWNER_ONLY)).close();
  } catch (cause) {
    const there = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const message = there
      ? `The file ${path} already exists. Choose another name: nothing is overwritten.`
      : `The file ${path} cannot be created: ${messageOf(cause)}`;
    throw new RelayError(message, { cause });
  }
}

/** Opens the file of a replay. @throws RelayError when it is gone. */
export async function openEventFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (cause) {
    throw new RelayError(
      `The file ${path} cannot be opened: ${messageOf(cause)}. A replay to a file can only be resumed ` +
        "on the machine that has the file.",
      { cause },
    );
  }
}
