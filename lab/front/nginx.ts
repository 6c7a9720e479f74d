import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { connect as connectTls } from "node:tls";
import { generate } from "selfsigned";
import { onTestFinished, vi } from "vitest";
import { ownPort } from "../../test/support/own-port.ts";
import { TOKEN } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

/** A listener on this machine. */
export interface Target {
  port: number;
  tls: boolean;
}

/** Attackers come from an address of their own, so that limits by address tell them from honest callers. */
const ATTACKERS = "127.0.0.66";

/** A connection of an attacker, whose errors are of no interest. */
export function attackerSocket({ port, tls }: Target): Socket {
  const to = { host: "127.0.0.1", port, localAddress: ATTACKERS };
  const socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  return socket.on("error", () => undefined);
}

/** One callback over a connection of its own. @returns its status. */
export function honestCallback({ port, tls }: Target, body = "{}", path = `/callbacks/${TOKEN}`) {
  const { promise, resolve: answered, reject } = Promise.withResolvers<number>();
  const call = (tls ? requestTls : request)({
    ...{ host: "127.0.0.1", port, path, method: "POST", agent: false, rejectUnauthorized: false },
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    signal: AbortSignal.timeout(10_000),
  });
  call.on("error", reject).on("response", (response) => {
    response.resume().on("error", reject);
    response.on("end", () => answered(response.statusCode ?? 0));
  });
  call.end(body);
  return promise;
}

interface Nginx extends Target {
  /** Where its configuration, its logs and its temporary files are. */
  folder: string;
  /** Everything that it wrote so far: its logs, and its streams. */
  written(): string;
}

/**
 * Debian's nginx with a shipped configuration, of which only the ports are others.
 * @param places what else is in its folder. @param ports shipped addresses, and the ports for them
 */
async function startNginx(
  file: string,
  places: Record<string, string>,
  ports: Record<string, number>,
  directives = "",
) {
  const folder = join(await temporaryFolder(), "nginx");
  mkdirSync(folder);
  let text = readFileSync(resolve(import.meta.dirname, "../../deploy/nginx", file), "utf8");
  for (const [shipped, port] of Object.entries(ports))
    text = text.replace(shipped, `${shipped.split(" ")[0]} 127.0.0.1:${port}`);
  const files = { ...places, [file]: text };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const child = spawn("/usr/sbin/nginx", [
    ...["-p", folder, "-c", file],
    ...["-g", `daemon off; ${directives}`],
  ]);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (more: string) => {
      said += more;
    });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const logs = () => readdirSync(folder).filter((name) => !(name in files) && name !== "front.tmp");
  return {
    folder,
    written: () =>
      said +
      logs()
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(""),
  };
}

/** The shipped front before a relay. */
export async function startFront(relayPort: number): Promise<Nginx> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "relay.example.com" }]);
  const port = await ownPort();
  const places = { "front.crt": cert, "front.key": key };
  const nginx = await startNginx("front.conf", places, {
    "listen 8443": port,
    "server 127.0.0.1:3000": relayPort,
  });
  const front = { ...nginx, port, tls: true };
  await vi.waitFor(() => honestCallback(front, "{}", "/callbacks/wrong"));
  return front;
}

/** The shipped router before two groups, to the second of which a token belongs. */
export async function startRouter(groups: readonly [number, number], token: string): Promise<Target> {
  const upstreams = groups.map((port, n) => `upstream group${n + 1} { server 127.0.0.1:${port}; }\n`);
  const port = await ownPort();
  const places = { "groups.conf": upstreams.join(""), "tokens.map": `~^/callbacks/${token}(/|$) group2;` };
  await startNginx("router.conf", places, { "listen 8080": port }, "pid router.pid; error_log router.log;");
  const router = { port, tls: false };
  await vi.waitFor(() => honestCallback(router));
  return router;
}
