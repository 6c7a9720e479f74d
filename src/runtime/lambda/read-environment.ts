import { randomBytes } from "node:crypto";
import { SettingsError } from "../../platform/config/index.ts";
import { RelayError } from "../../platform/errors/index.ts";
import { isLoopbackHost } from "../../platform/http/index.ts";
import type { Secret } from "../../platform/values/index.ts";

type Environment = Record<string, string | undefined>;

/** Settings that `serve` needs, but a single function may lack. */
const KEPT_AWAY = ["COLLECTION_API_KEY", "CALLBACK_TOKENS"] as const;

/**
 * The settings of one function: its environment, and the secrets that its role may read from SSM.
 * SECRET_SETTINGS names them, and the encrypted values are at SETTINGS_PATH/<name>;
 * `DATABASE_URL=DATABASE_URL_WORKER` reads a setting from a parameter of another name. Without SETTINGS_PATH
 * only the environment counts. Secrets that this function must not have are replaced by random values.
 * @throws RelayError that names the missing parameters
 */
export async function readEnvironment(environment: Environment): Promise<Environment> {
  const { SETTINGS_PATH, SECRET_SETTINGS = "" } = environment;
  if (SETTINGS_PATH === undefined || SETTINGS_PATH === "") return environment;
  const secrets = SECRET_SETTINGS.split(",")
    .filter((secret) => secret !== "")
    .map((secret) => {
      const [setting = "", parameter = setting] = secret.split("=");
      return { setting, parameter: `${SETTINGS_PATH}/${parameter}` };
    });
  const strange = Object.fromEntries(KEPT_AWAY.map((name) => [name, randomBytes(24).toString("base64url")]));
  const values = await readParameters(secrets.map(({ parameter }) => parameter));
  const read = Object.fromEntries(secrets.map(({ setting, parameter }) => [setting, values.get(parameter)]));
  return { ...strange, ...environment, ...read };
}

async function readParameters(names: readonly string[]): Promise<Map<string, string>> {
  const { GetParametersCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient({});
  try {
    const { Parameters = [], InvalidParameters = [] } = await client.send(
      new GetParametersCommand({ Names: [...names], WithDecryption: true }),
    );
    if (InvalidParameters.length > 0)
      throw new RelayError(
        `SSM has no parameter ${InvalidParameters.join(", ")}. Create it with: aws ssm put-parameter ` +
          "--type SecureString --name …",
      );
    return new Map(Parameters.map(({ Name = "", Value = "" }) => [Name, Value]));
  } finally {
    client.destroy();
  }
}

/** Over TLS with the certificate verified, if remote. @throws SettingsError: what to add to DATABASE_URL */
export function requireVerifiedTls(databaseUrl: Secret): void {
  const url = new URL(databaseUrl.reveal());
  if (isLoopbackHost(url.hostname) || url.searchParams.get("sslmode") === "verify-full") return;
  throw new SettingsError([
    "DATABASE_URL should end in ?sslmode=verify-full, so that the server's certificate is verified",
  ]);
}
