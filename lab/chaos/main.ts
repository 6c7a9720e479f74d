/**
 * `npm run lab -- chaos --minutes N --seed S`: a run on its own embedded PostgreSQL, or on the server in
 * TEST_DATABASE_URL, which is not stopped: only connections to it are cut. Exits with 1 on a finding.
 */
import { parseArgs } from "node:util";
import { runInLab, say } from "../environment/run-lab.ts";
import { chaos } from "./chaos.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    relays: { type: "string", default: "2" },
    rate: { type: "string", default: "15" },
  },
});
const seed = Number(values.seed);

await runInLab(`chaos-${seed}`, { lent: process.env.TEST_DATABASE_URL }, async ({ folder, server }) => {
  say(`seed ${seed}, history in ${folder}`);
  const { findings, rested, figures } = await chaos({
    server,
    seed,
    folder,
    lengthMs: Number(values.minutes) * 60_000,
    perSecond: Number(values.rate),
    relays: Number(values.relays),
  });
  const told = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  say(told.join(", "));
  for (const { guarantee, what, about } of findings) say(`${guarantee} ${what}: ${about}`);
  if (!rested) say("red: it did not come to rest");
  const isWell = findings.length === 0 && rested;
  say(isWell ? "green: every guarantee held" : `red: ${findings.length} findings`);
  return isWell;
});
