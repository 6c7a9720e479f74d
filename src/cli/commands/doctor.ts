import { Command } from "commander";
import { plainText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";

const MARKS = {
  ok: { mark: "ok     ", look: "good" },
  warning: { mark: "look   ", look: "look" },
  fault: { mark: "FAULT  ", look: "bad" },
} as const;

/**
 * `invoice-relay doctor`: one line for each thing that `serve` needs; exit code 1 on a fault, 4 when another
 * service is away.
 */
export function doctorCommand(context: CommandContext): Command {
  return new Command("doctor")
    .description("check settings, database, provider key and topics; changes nothing")
    .action(async () => {
      const { doctor } = await import("../../app/doctor.ts");
      const checks = [];
      for await (const check of doctor(context.environment)) {
        checks.push(check);
        const { mark, look } = MARKS[check.state];
        if (!context.json)
          context.print(`${context.paint(look, mark)}${check.about}: ${plainText(check.says)}`);
      }
      const found = checks.filter((check) => check.state === "fault");
      const faults = found.length;
      if (faults > 0) context.fault();
      if (faults > 0 && found.every(({ away }) => away === true)) context.away();
      if (context.json) context.print(JSON.stringify({ healthy: faults === 0, checks }, null, 2));
      else if (context.exitCode === 4)
        context.print("\nNothing is wrong here, but something does not answer: see the lines marked FAULT.");
      else if (faults > 0)
        context.print(`\n${faults === 1 ? "One fault" : `${faults} faults`}: see the lines marked FAULT.`);
      else context.print("\nNo fault: serve can start.");
    });
}
