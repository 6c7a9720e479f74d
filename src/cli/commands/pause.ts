import type { Command } from "commander";
import type { Door } from "../door.ts";
import { pauseOrResumeCommand } from "../pause-command.ts";

/** `invoice-relay pause confirm|publish`: for an incident. */
export const pauseCommand = (door: Door): Command =>
  pauseOrResumeCommand(door, "pause", "stop asking the provider, or sending to SNS, during an incident");
