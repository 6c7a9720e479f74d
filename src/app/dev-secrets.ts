import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The callback token of the local relay: made once for each data dir, readable by its owner only, so that
 * invoices of an earlier run still find the relay, and no two machines share one.
 */
export const localCallbackToken = (dataDir: string): Promise<string> => keptToken(dataDir, "callback-token");

/** The token to sign in to the local console with. */
export const localAdminToken = (dataDir: string): Promise<string> => keptToken(dataDir, "admin-token");

async function keptToken(dataDir: string, name: string): Promise<string> {
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

/**
 * The local SNS takes any credentials, but the AWS SDK sends none without some. For this process only;
 * whatever account the shell is logged in to stays out of it.
 */
export function useLocalAwsCredentials(environment: Record<string, string | undefined>): void {
  for (const name of ["AWS_PROFILE", "AWS_SESSION_TOKEN"]) delete environment[name];
  Object.assign(environment, LOCAL_AWS_CREDENTIALS);
}

/**
 * Writes the settings of the local relay down for other commands (`--settings`), for the owner's eyes only.
 */
export async function writeLocalSettings(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(dataDir, "settings.env");
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(""), { mode: 0o600 });
  return file;
}
