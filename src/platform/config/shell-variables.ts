import { settingsSchema } from "./settings.ts";

/** What the AWS SDK, OpenTelemetry and `pg` read by themselves, and whoever asks through a proxy. */
const READ_BY_LIBRARIES = /^(?:(?:AWS|OTEL)_.+|PG[A-Z_]+|.+_PROXY)$/i;

const READ_BY_NODE = /^NODE_(?:ENV|OPTIONS|USE_ENV_PROXY|TLS_REJECT_UNAUTHORIZED|DEBUG)$/;

const isRead = (name: string): boolean =>
  name in settingsSchema.shape || READ_BY_LIBRARIES.test(name) || READ_BY_NODE.test(name);

/**
 * Takes out of an environment what a shell holds for other work: every setting of ours, and what libraries
 * would read past us. What runs on this machine alone, and the tests, neither obey nor break on it.
 * @param environment is changed: libraries read `process.env` itself.
 * @param kept the names that stay. @returns the names of what was taken out.
 */
export function leaveShellBehind(
  environment: Record<string, string | undefined>,
  kept: readonly string[] = [],
): string[] {
  const left = Object.keys(environment).filter((name) => !kept.includes(name) && isRead(name));
  for (const name of left) delete environment[name];
  return left;
}
