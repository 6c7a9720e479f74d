import type { Command } from "commander";
import type { Door } from "../door.ts";
import { gateCommand } from "../gate-command.ts";

/** `invoice-relay resume confirm|publish`: when the incident is over. */
export const resumeCommand = (door: Door): Command =>
  gateCommand(door, "resume", "go on asking or sending after a pause");
