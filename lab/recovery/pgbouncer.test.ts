import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ownPort } from "../../test/support/own-port.ts";
import { startHarness, startRelay } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

/** The url by way of Debian's PgBouncer, which refuses the option `options` at the start of a session. */
async function behindPgBouncer(url: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = await temporaryFolder();
  const front = await ownPort();
  const secret = decodeURIComponent(password);
  writeFileSync(join(folder, "users.txt"), `"${username}" "${secret}"\n`);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${front}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users.txt
pool_mode = session
default_pool_size = 30
`,
  );
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("/usr/sbin/pgbouncer", [...user, `${folder}/pgbouncer.ini`], { stdio: "ignore" });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const through = new URL(`postgres://127.0.0.1:${front}${pathname}`);
  [through.username, through.password] = [username, password];
  await vi.waitFor(async () => {
    const client = new pg.Client({ connectionString: through.href });
    await client.connect();
    await client.end();
  });
  return through.href;
}

describe(`behind ${execFileSync("/usr/sbin/pgbouncer", ["--version"], { encoding: "utf8" }).split("\n")[0]}`, () => {
  it("that keeps sessions, a payment goes all the way", async () => {
    const harness = await startHarness();
    const id = harness.provider.paid();
    const environment = harness.environment({
      DATABASE_URL: await behindPgBouncer(harness.databaseUrl),
      COLLECTION_IDS: "none",
    });
    const relay = await startRelay(environment);
    expect((await relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    await relay.stop();
    expect(relay.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });
});
