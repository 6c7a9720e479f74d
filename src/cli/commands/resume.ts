import type { Command } from "commander";
import type { Door } from "../door.ts";
import { pauseOrResumeCommand } from "../pause-command.ts";

/** `invoice-relay resume confirm|publish`: opens whatever holds it. */
export const resumeCommand = (door: Door): Command =>
  pauseOrResumeCommand(
    door,
    "resume",
    "go on asking or sending at once, after a pause, a refusal or a fault",
  );
