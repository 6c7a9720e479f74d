import { settingsSchema } from "./settings.ts";

/** Variables that the AWS SDK, OpenTelemetry, `pg` and HTTP clients behind a proxy read by themselves. */
const READ_BY_LIBRARIES = /^(?:(?:AWS|OTEL)_.+|PG[A-Z_]+|.+_PROXY)$/i;

const READ_BY_NODE = /^NODE_(?:ENV|OPTIONS|USE_ENV_PROXY|TLS_REJECT_UNAUTHORIZED|DEBUG)$/;

const isRead = (name: string): boolean =>
  name in settingsSchema.shape || READ_BY_LIBRARIES.test(name) || READ_BY_NODE.test(name);

/**
 * Removes a shell's variables for other work from an environment: every setting of ours, and those that libraries
 * would read past us. They shall neither steer nor break tests and programs that run on this machine alone.
 * @param environment is changed: libraries read `process.env` itself.
 * @param kept the names that stay.
 */
export function leaveShellBehind(
  environment: Record<string, string | undefined>,
  kept: readonly string[] = [],
): void {
  for (const name of Object.keys(environment))
    if (!kept.includes(name) && isRead(name)) delete environment[name];
}
