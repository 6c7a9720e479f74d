import { isPrivateHost } from "../platform/http/index.ts";

/** Some providers cut off longer callback URLs (interface, part D). */
const LONGEST_SAFE = 140;

/** The URL that an invoice is created with; the reference comes back with its callbacks and in its event. */
export function callbackUrl(publicUrl: string, token: string, reference?: string): string {
  const url = `${publicUrl}/callbacks/${token}`;
  return reference === undefined ? url : `${url}/${encodeURIComponent(reference)}`;
}

/** Obstacles that may keep a provider from calling this URL, in plain words. */
export function callbackUrlWarnings(url: string): string[] {
  const { protocol, hostname } = new URL(url);
  const warnings: string[] = [];
  if (isPrivateHost(hostname))
    warnings.push(
      `${hostname} is an address of this machine or network: a provider elsewhere cannot reach it. Set ` +
        "PUBLIC_URL to the relay's public address.",
    );
  if (protocol === "http:")
    warnings.push("It is plain http: an eavesdropper can read the token. Use https for a real provider.");
  if (url.length > LONGEST_SAFE)
    warnings.push(
      `It is ${url.length} characters long; some providers cut off what is longer than ` +
        `${LONGEST_SAFE}. Use a shorter reference, token or host name.`,
    );
  return warnings;
}
