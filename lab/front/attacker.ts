import { setPriority } from "node:os";
import { attacksOn } from "./attacks.ts";

// A process of its own, which whoever started it ends: `attacker.ts <target as JSON> <token> <attack>`.
// The attackers' own work is not to take the processor from who is attacked.
setPriority(19);
const [, , target = "", token = "", name = ""] = process.argv;
await attacksOn(token)
  .find((attack) => attack.name === name)
  ?.run(JSON.parse(target));
