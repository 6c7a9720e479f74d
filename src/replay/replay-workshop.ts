import type { FileHandle } from "node:fs/promises";
import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Route } from "../publish/claim-events.ts";
import type { SnsSender } from "../publish/sns-sender.ts";
import { eventFileStep, openEventFile } from "./event-file-step.ts";
import { eventsStep } from "./events-step.ts";
import { callbacksStep, confirmationsStep } from "./question-steps.ts";
import type { ReadAgain } from "./read-again.ts";
import type { HeldReplay, Replay } from "./replay.ts";
import { claimReplay, endReplay } from "./replay-store.ts";
import { type RunOptions, runReplay } from "./run-replay.ts";

/** What running replays takes besides the replay itself. */
export interface ReplayWorkshop {
  db: Kysely<Tables>;
  routes: readonly Route[];
  readAgain: ReadAgain;
  /** Makes the sender that one replay of events uses, with a connection of its own. */
  createSender: () => SnsSender;
  onQuestions: () => void | Promise<void>;
  leaseMs: number;
}

/**
 * Takes up a replay, or any that nobody works on and that needs no file, and runs it.
 * @returns null when there is none to be had now.
 */
export async function takeUpReplay(
  workshop: ReplayWorkshop,
  id: string | "any on a topic",
  options: Pick<RunOptions, "stop" | "onProgress">,
): Promise<Replay | null> {
  const held = await claimReplay(workshop.db, id, workshop.leaseMs);
  if (held === null) return null;
  const { db, leaseMs, routes } = workshop;
  const run = { db, leaseMs, ...options };
  if (held.kind !== "events") return await runReplay(held, { ...run, step: questionsStep(held, workshop) });
  if (held.target.kind === "file") return await runToFile(held, held.target.path, workshop, run);
  const sender = workshop.createSender();
  try {
    return await runReplay(held, { ...run, step: eventsStep({ db, routes, sender }) });
  } finally {
    sender.close();
  }
}

async function runToFile(
  held: HeldReplay,
  path: string,
  { db, routes }: ReplayWorkshop,
  run: Omit<RunOptions, "step">,
): Promise<Replay> {
  let file: FileHandle;
  try {
    file = await openEventFile(path);
  } catch (error) {
    return await endReplay(db, held, "failed", messageOf(error));
  }
  try {
    return await runReplay(held, { ...run, step: eventFileStep({ db, routes, file }) });
  } finally {
    await file.close();
  }
}

const questionsStep = (held: HeldReplay, { db, onQuestions, readAgain }: ReplayWorkshop) =>
  held.kind === "confirmations"
    ? confirmationsStep({ db, onQuestions })
    : callbacksStep({ db, onQuestions, readAgain });
