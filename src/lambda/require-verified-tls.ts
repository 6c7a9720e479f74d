import type { Secret } from "../kit/secret.ts";
import { SettingsError } from "../kit/settings.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A remote database must be reached over TLS with its certificate verified.
 * @throws SettingsError that says what to add to DATABASE_URL
 */
export function requireVerifiedTls(databaseUrl: Secret): void {
  const url = new URL(databaseUrl.reveal());
  if (LOOPBACK.test(url.hostname) || url.searchParams.get("sslmode") === "verify-full") return;
  throw new SettingsError([
    "DATABASE_URL should end in ?sslmode=verify-full, so that the server's certificate is verified",
  ]);
}
