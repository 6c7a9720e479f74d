/**
 * `npm run torture -- --minutes N --seed S`: a run on its own embedded PostgreSQL, or on the server in
 * TEST_DATABASE_URL, which is not stopped: only connections to it are cut. Exits with 1 on a finding.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embeddedServer, lentServer } from "../world/postgres-server.ts";
import { torture } from "./torture.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    relays: { type: "string", default: "2" },
    rate: { type: "string", default: "15" },
  },
});
const seed = Number(values.seed);
const folder = await mkdtemp(join(tmpdir(), `invoice-relay-torture-${seed}-`));
await chmod(folder, 0o711);
say(`seed ${seed}, history in ${folder}`);
const data = join(folder, "postgres");
const lent = process.env.TEST_DATABASE_URL;
const server = await (lent === undefined ? embeddedServer(data) : lentServer(lent));
let code = 1;
try {
  const { findings, rested, figures } = await torture({
    server,
    seed,
    folder,
    lengthMs: Number(values.minutes) * 60_000,
    perSecond: Number(values.rate),
    relays: Number(values.relays),
    shared: true,
  });
  say(
    Object.entries(figures)
      .map(([name, figure]) => `${name} ${figure}`)
      .join(", "),
  );
  for (const { guarantee, what, about } of findings) say(`${guarantee} ${what}: ${about}`);
  say(findings.length === 0 && rested ? "green: every guarantee held" : `red: ${findings.length} findings`);
  if (!rested) say("red: it did not come to rest");
  code = findings.length === 0 && rested ? 0 : 1;
} finally {
  await server.close();
  await rm(data, { recursive: true, force: true });
}
process.exit(code);
