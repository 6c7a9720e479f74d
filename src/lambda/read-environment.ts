import { randomBytes } from "node:crypto";
import { RelayError } from "../kit/errors.ts";

type Environment = Record<string, string | undefined>;

/** What `serve` needs, and a single function may be kept from. */
const KEPT_AWAY = ["COLLECTION_API_KEY", "CALLBACK_TOKENS"] as const;

/**
 * The settings of one function: its environment, and the secrets that its role may read from SSM, whose names stand
 * in SECRET_SETTINGS and whose values stand at SETTINGS_PATH/<name>, encrypted. Without SETTINGS_PATH the
 * environment is all there is.
 * A secret that is not this function's business is a random value here: it opens nothing.
 * @throws RelayError that names the parameters which are missing
 */
export async function readEnvironment(environment: Environment): Promise<Environment> {
  const { SETTINGS_PATH, SECRET_SETTINGS = "" } = environment;
  if (SETTINGS_PATH === undefined || SETTINGS_PATH === "") return environment;
  const names = SECRET_SETTINGS.split(",").filter((name) => name !== "");
  const strange = Object.fromEntries(KEPT_AWAY.map((name) => [name, randomBytes(24).toString("base64url")]));
  return { ...strange, ...environment, ...(await readParameters(SETTINGS_PATH, names)) };
}

async function readParameters(path: string, names: readonly string[]): Promise<Record<string, string>> {
  const { GetParametersCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient({});
  try {
    const { Parameters = [], InvalidParameters = [] } = await client.send(
      new GetParametersCommand({ Names: names.map((name) => `${path}/${name}`), WithDecryption: true }),
    );
    if (InvalidParameters.length > 0)
      throw new RelayError(
        `SSM has no parameter ${InvalidParameters.join(", ")}. Make it with: aws ssm put-parameter --type SecureString --name …`,
        { next: "refuse" },
      );
    return Object.fromEntries(
      Parameters.map(({ Name = "", Value = "" }) => [Name.slice(path.length + 1), Value]),
    );
  } finally {
    client.destroy();
  }
}
