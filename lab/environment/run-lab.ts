import { chmod, mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { embeddedServer, lentServer, type PostgresServer } from "../../test/support/postgres-server.ts";

export const say = (line: string) => void process.stdout.write(`${line}\n`);

/**
 * Waits until a condition holds, outside vitest as well. @param withinMs for ever by default.
 * @returns whether it held in time.
 */
export async function until(
  holds: () => Promise<boolean>,
  { withinMs = Number.POSITIVE_INFINITY, everyMs = 250 } = {},
): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() >= end) return false;
    await delay(everyMs);
  }
  return true;
}

interface LabOptions {
  /** A foreign server's URL, instead of an embedded one. */
  lent?: string | undefined;
  /** Whether commits wait for the disk. */
  durable?: boolean;
}

/**
 * A whole command of a lab: does its work on a PostgreSQL, in a folder where histories stay, and exits with 0 if
 * all was well.
 */
export async function runInLab(
  name: string,
  { lent, durable = true }: LabOptions,
  work: (lab: { folder: string; server: PostgresServer }) => Promise<boolean>,
): Promise<never> {
  const folder = await mkdtemp(join(tmpdir(), `invoice-relay-${name}-`));
  await chmod(folder, 0o711);
  const data = join(folder, "postgres");
  const server = await (lent === undefined ? embeddedServer(data, durable) : lentServer(lent));
  let isWell = false;
  try {
    isWell = await work({ folder, server });
  } finally {
    await server.close();
    await rm(data, { recursive: true, force: true });
    // Where a history stays, so does the folder.
    await rmdir(folder).catch(() => undefined);
  }
  process.exit(isWell ? 0 : 1);
}
