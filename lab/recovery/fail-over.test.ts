import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type PostgresServer, runOn } from "../../test/support/postgres-server.ts";
import { TcpProxy } from "../../test/support/tcp-proxy.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { chaos } from "../chaos/chaos.ts";
import { type DebianCluster, newCluster, newStandby, promote } from "../environment/debian-cluster.ts";
import { until } from "../environment/run-lab.ts";

/**
 * Debian's PostgreSQL 15 with a synchronous standby: a commit returns once the standby has it on disk.
 */
async function serverWithStandby(folder: string): Promise<PostgresServer> {
  const password = randomBytes(18).toString("base64url");
  const primary = await newCluster(join(folder, "primary"), password);
  await primary.start();
  const urlOf = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const url = urlOf(primary.port);
  const standby = await newStandby(join(folder, "standby"), url);
  await standby.start();
  await runOn(url, "alter system set synchronous_standby_names = 'standby'", "select pg_reload_conf()");
  const synchronous = "select from pg_stat_replication where sync_state = 'sync'";
  const isSynchronous = async () => (await runOn(url, synchronous)).length > 0;
  if (!(await until(isSynchronous, { withinMs: 20_000, everyMs: 20 })))
    throw new Error("The standby did not become synchronous within 20 s.");
  const front = await TcpProxy.start(primary.port);
  let leader: DebianCluster = primary;
  return {
    url: urlOf(front.port),
    stop: (how) => leader.stop(how),
    start: () => leader.start(),
    async failOver() {
      front.moveTo(0);
      await primary.kill();
      await promote(join(folder, "standby"));
      leader = standby;
      front.moveTo(standby.port);
    },
    async close() {
      await front.close();
      for (const cluster of [primary, standby])
        if (await cluster.isRunning()) await cluster.stop("immediate");
    },
  };
}

it("the primary is killed under traffic, its synchronous standby takes over: nothing answered is lost (G1)", async () => {
  const folder = await temporaryFolder();
  const server = await serverWithStandby(folder);
  onTestFinished(() => server.close());
  const { findings, rested, figures } = await chaos({
    server,
    folder: join(folder, "run"),
    seed: 3,
    lengthMs: 10_000,
    perSecond: 15,
    plan: [{ atMs: 4_000, forMs: 0, fault: { on: "postgres", how: "fail-over" } }],
  });
  expect({ findings, rested }).toEqual({ findings: [], rested: true });
  // Otherwise this proves little.
  expect(figures.taken).toBeGreaterThan(20);
});
