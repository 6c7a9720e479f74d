import { Command } from "commander";
import type { Door } from "../door.ts";
import { plainText } from "../terminal-text.ts";

const MARKS = {
  ok: { mark: "ok     ", look: "good" },
  warning: { mark: "look   ", look: "look" },
  fault: { mark: "FAULT  ", look: "bad" },
} as const;

/** `invoice-relay doctor`: a line for each thing that `serve` needs; exit code 1 on a fault, 4 when others are away. */
export function doctorCommand(door: Door): Command {
  return new Command("doctor")
    .description("check settings, database, provider key and topics, a line each; changes nothing")
    .action(async () => {
      const { doctor } = await import("../../app/doctor.ts");
      const checks = [];
      for await (const check of doctor(door.environment)) {
        checks.push(check);
        const { mark, look } = MARKS[check.state];
        if (!door.json) door.print(`${door.paint(look, mark)}${check.about}: ${plainText(check.says)}`);
      }
      const found = checks.filter((check) => check.state === "fault");
      const faults = found.length;
      if (faults > 0) door.fault();
      if (faults > 0 && found.every(({ away }) => away === true)) door.away();
      if (door.json) door.print(JSON.stringify({ healthy: faults === 0, checks }, null, 2));
      else if (door.exitCode === 4)
        door.print("\nNothing is wrong here, but something does not answer: see the lines marked FAULT.");
      else if (faults > 0)
        door.print(`\n${faults === 1 ? "One fault" : `${faults} faults`}: see the lines marked FAULT.`);
      else door.print("\nNo fault: serve can start.");
    });
}
