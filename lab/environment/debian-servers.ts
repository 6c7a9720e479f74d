import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type PostgresServer, runOn } from "../../test/support/postgres-server.ts";
import { TcpProxy } from "../../test/support/tcp-proxy.ts";
import { type DebianCluster, folderOfPostgres, newCluster, newStandby, promote } from "./debian-cluster.ts";
import { until } from "./run-lab.ts";

const execute = promisify(execFile);

const urlOf = (password: string, port: number) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
const newPassword = () => randomBytes(18).toString("base64url");

/**
 * Debian's PostgreSQL 15 with a synchronous standby: a commit returns once the standby has it on disk.
 */
export async function serverWithStandby(folder: string): Promise<PostgresServer> {
  const password = newPassword();
  const primary = await newCluster(join(folder, "primary"), password);
  await primary.start();
  const url = urlOf(password, primary.port);
  const standby = await newStandby(join(folder, "standby"), url);
  await standby.start();
  await runOn(url, "alter system set synchronous_standby_names = 'standby'", "select pg_reload_conf()");
  await becomesSynchronous(url);
  const front = await TcpProxy.start(primary.port);
  let leader: DebianCluster = primary;
  return {
    url: urlOf(password, front.port),
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

async function becomesSynchronous(url: string): Promise<void> {
  const isSynchronous = async () =>
    (await runOn(url, "select from pg_stat_replication where sync_state = 'sync'")).length > 0;
  if (!(await until(isSynchronous, { withinMs: 20_000, everyMs: 20 })))
    throw new Error("The standby did not become synchronous within 20 s.");
}

const DISK_BYTES = 96 * 1024 * 1024;

/** Debian's PostgreSQL 15 on a small in-memory disk that can be filled. */
export async function serverOnSmallDisk(folder: string): Promise<PostgresServer> {
  const disk = await folderOfPostgres(join(folder, "disk"));
  await execute("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES},mode=0755`, "tmpfs", disk]);
  const password = newPassword();
  const cluster = await newCluster(join(disk, "server"), password);
  await cluster.start();
  const filler = join(disk, "filler");
  return {
    url: urlOf(password, cluster.port),
    stop: (how) => cluster.stop(how),
    start: () => cluster.start(),
    async fillDisk() {
      // dd is expected to fail, because it fills the disk.
      await execute("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]).catch(() => undefined);
      return async () => {
        await rm(filler, { force: true });
        // Postgres exits when it cannot write its log, and is then started again, as a supervisor would.
        if (!(await cluster.isRunning())) await cluster.start();
      };
    },
    async close() {
      if (await cluster.isRunning()) await cluster.stop("immediate");
      await execute("umount", [disk]);
    },
  };
}
