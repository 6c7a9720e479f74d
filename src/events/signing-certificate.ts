import { X509Certificate } from "node:crypto";
import { InvoicePaidError } from "./invoice-paid-error.ts";

/** Where SNS keeps the certificates it signs with. */
const SNS_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;
const MOST_BYTES = 64 * 1024;
const MOST_KEPT = 16;
const FETCH_TIMEOUT_MS = 5_000;

const kept = new Map<string, Promise<X509Certificate>>();

/**
 * Whether an address is one of SNS itself: https, no port, no credentials, host `sns.<region>.amazonaws.com`.
 * @param trustedOrigins further origins, such as `http://127.0.0.1:4002` for a local SNS
 */
export function isSnsAddress(address: string, trustedOrigins: readonly string[]): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (trustedOrigins.some((origin) => URL.parse(origin)?.origin === url.origin)) return true;
  return url.protocol === "https:" && url.port === "" && SNS_HOST.test(url.hostname);
}

/**
 * The certificate behind a `SigningCertURL`; fetched once for each address and kept.
 * @throws InvoicePaidError `untrusted_certificate` or `unreachable`
 */
export async function signingCertificate(
  address: string,
  trustedOrigins: readonly string[],
): Promise<X509Certificate> {
  if (!isSnsAddress(address, trustedOrigins) || !new URL(address).pathname.endsWith(".pem"))
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The message's SigningCertURL is not an address of SNS. For a local SNS, name its origin in trustedOrigins.",
    );
  const certificate = await fetchOnce(address);
  const now = Date.now();
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) {
    kept.delete(address);
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The certificate that signed the message is not valid now.",
    );
  }
  return certificate;
}

async function fetchOnce(address: string): Promise<X509Certificate> {
  const known = kept.get(address);
  if (known !== undefined) return await known;
  const fetching = fetchCertificate(address);
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(address, fetching);
  try {
    return await fetching;
  } catch (error) {
    kept.delete(address);
    throw error;
  }
}

async function fetchCertificate(address: string): Promise<X509Certificate> {
  const pem = await fetchText(address, MOST_BYTES);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new InvoicePaidError(
      "untrusted_certificate",
      "What stands at SigningCertURL is no certificate.",
      cause,
    );
  }
}

/** GETs a small text from SNS. Redirects are refused: they would lead away from the pinned host. */
export async function fetchText(address: string, mostBytes: number): Promise<string> {
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.length > mostBytes) throw new Error(`it answered more than ${mostBytes} bytes`);
    }
    return text;
  } catch (cause) {
    throw new InvoicePaidError("unreachable", `${new URL(address).host} could not be asked.`, cause);
  }
}
