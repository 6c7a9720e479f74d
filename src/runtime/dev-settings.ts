import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { devNull } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { leaveShellBehind } from "../platform/config/index.ts";
import { RelayError } from "../platform/errors/index.ts";

/** Made once for each data dir, for its owner only, so that invoices of an earlier run still find the relay. */
export async function keptToken(dataDir: string, name: "callback-token" | "admin-token"): Promise<string> {
  const file = join(dataDir, name);
  await mkdir(dataDir, { recursive: true });
  const made = randomBytes(18).toString("base64url");
  try {
    await writeFile(file, made, { flag: "wx", mode: 0o600 });
    return made;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  }
}

/** The local SNS takes any. */
export const LOCAL_AWS_CREDENTIALS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

/** Writes the settings of the local relay down for other commands (`--settings`), for the owner's eyes only. */
export async function writeLocalSettings(
  dataDir: string,
  settings: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const file = join(dataDir, "settings.env");
  const lines = Object.entries(settings).map(([name, value = ""]) => {
    const line = linesFor(name, value).find((one) => parseEnv(one)[name] === value);
    if (line !== undefined) return `${line}\n`;
    throw new RelayError(
      `${name} cannot be written to ${file}: it holds every kind of quote. Leave one out.`,
    );
  });
  await writeFile(file, lines.join(""), { mode: 0o600 });
  return file;
}

/** The ways to write it down; quoted first where a shell would need that. */
function linesFor(name: string, value: string): string[] {
  const plain = `${name}=${value}`;
  if (!/[\s#'"`]/.test(value)) return [plain];
  return [...["'", "`", '"'].map((quote) => `${name}=${quote}${value}${quote}`), plain];
}

/**
 * Prepares this process for a local world: what the shell sets for other work is removed, for libraries
 * too. The local SNS takes any credentials, but the AWS SDK sends none without some; whatever account the
 * shell or the home folder is logged in to stays out of it, and nothing here is asked through a proxy.
 * @param environment `process.env`.
 * @param kept the names that stay. @returns the names of what was taken out.
 */
export function enterLocalWorld(
  environment: Record<string, string | undefined>,
  kept: readonly string[],
): string[] {
  const left = leaveShellBehind(environment, kept);
  Object.assign(environment, LOCAL_AWS_CREDENTIALS, {
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  });
  // Node read its proxies when it started; this makes them apply to no host. Early 24s lack the function.
  http.setGlobalProxyFromEnv?.({ HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" });
  return left;
}
