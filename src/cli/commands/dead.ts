import type { Command } from "commander";
import { asideCommand } from "../aside-command.ts";
import type { Door } from "../door.ts";

/** `invoice-relay dead …`: questions and events that were given up, and what to do about them. */
export function deadCommand(door: Door): Command {
  return asideCommand(door, {
    list: "dead",
    description: "dead letters: questions and events that were given up; list, show, retry, dismiss",
    none: "No dead letters: nothing was given up.",
    what: ["dead letter", "dead letters"],
    act: {
      name: "retry",
      description: "ask or send again from the first step",
      done: "due again; a running invoice-relay serve takes it from here",
      run: async (options) => (await import("../../replay/act-on-aside.ts")).retryDead(options),
    },
    dismiss: async (options) => (await import("../../replay/act-on-aside.ts")).dismissDead(options),
  });
}
