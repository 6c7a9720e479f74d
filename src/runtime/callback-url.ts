import { isLoopbackHost, isPrivateHost } from "../platform/http/index.ts";

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

const ANSWER_WITHIN_MS = 2_000;

/**
 * Whether the relay's public address redirects: a provider that follows turns its POST into a GET without a body
 * (interface, part D), and one that does not follow never arrives. Requests `/healthz`, so nothing is recorded.
 * @returns null when it does not, or when a request from here gets no answer.
 */
export async function redirectWarning(publicUrl: string): Promise<string | null> {
  const { hostname } = new URL(publicUrl);
  // An address in a private network is warned about anyway, and what answers there need not be the relay.
  if (isPrivateHost(hostname) && !isLoopbackHost(hostname)) return null;
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    const { status, headers } = await fetch(`${publicUrl}/healthz`, {
      method: "HEAD",
      redirect: "manual",
      signal,
    });
    if (status < 300 || status >= 400) return null;
    const target = URL.parse(headers.get("location") ?? "", publicUrl)?.origin ?? "another address";
    return (
      `${publicUrl} redirects to ${target} (HTTP ${status}): callbacks would lose their body or never ` +
      "arrive. Set PUBLIC_URL to the address that answers itself."
    );
  } catch {
    return null;
  }
}
