import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { generate } from "selfsigned";
import { onTestFinished, vi } from "vitest";
import { ownPort } from "../../test/support/own-port.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { honestCallback } from "./honest-callback.ts";
import type { Target } from "./target.ts";

const SHIPPED = resolve(import.meta.dirname, "../../deploy/nginx/front.conf");

export interface Front extends Target {
  /** Where its configuration, its logs and its temporary files are. */
  folder: string;
  /** Everything that it wrote so far: its logs, and what came over its streams. */
  written(): string;
}

/** Debian's nginx with the shipped configuration, of which only the two ports are others. */
export async function startFront(relayPort: number): Promise<Front> {
  const folder = join(await temporaryFolder(), "front");
  mkdirSync(folder);
  const port = await ownPort();
  const { cert, private: key } = await generate([{ name: "commonName", value: "relay.example.com" }]);
  writeFileSync(join(folder, "front.crt"), cert);
  writeFileSync(join(folder, "front.key"), key);
  const text = readFileSync(SHIPPED, "utf8")
    .replace("listen 8443", `listen 127.0.0.1:${port}`)
    .replace("server 127.0.0.1:3000", `server 127.0.0.1:${relayPort}`);
  writeFileSync(join(folder, "front.conf"), text);
  const child = spawn("/usr/sbin/nginx", ["-p", folder, "-c", "front.conf", "-g", "daemon off;"]);
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
  const front = { port, tls: true };
  await vi.waitFor(() => honestCallback(front, "{}", "/callbacks/wrong"));
  const logs = () =>
    readdirSync(folder).filter(
      (name) => !["front.conf", "front.crt", "front.key", "front.tmp"].includes(name),
    );
  return {
    ...front,
    folder,
    written: () =>
      said +
      logs()
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(""),
  };
}
