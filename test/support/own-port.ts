import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "../../src/sandbox/postgres/start-embedded-postgres.ts";

/** The system gives out no port below 32,768. */
const FIRST = 21_000;
const BLOCKS = 500;
const PORTS = 20;

let claimed: Promise<number> | undefined;
let taken = 0;

/**
 * A free port for a program that has to be told one before it listens. Neither the system nor another process
 * that asks here gives it away meanwhile. @throws Error when there is none.
 */
export async function ownPort(): Promise<number> {
  claimed ??= claimBlock();
  const first = await claimed;
  for (let tries = 1; tries < PORTS; tries += 1) {
    const port = first + 1 + (taken++ % (PORTS - 1));
    if ((await freePort(port)) === port) return port;
  }
  throw new Error(`The ports from ${first} on are all taken.`);
}

/** This process' ports: as long as it lives it listens on the first of them, and nobody else can. */
async function claimBlock(): Promise<number> {
  for (let tries = 0; tries < BLOCKS; tries += 1) {
    const first = FIRST + ((process.pid + tries) % BLOCKS) * PORTS;
    const claim = createServer().unref().listen(first, "127.0.0.1");
    const isOurs = await once(claim, "listening").then(
      () => true,
      () => false,
    );
    if (isOurs) return first;
  }
  throw new Error(`No ports are left from ${FIRST} on.`);
}
