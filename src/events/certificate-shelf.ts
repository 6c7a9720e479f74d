import { X509Certificate } from "node:crypto";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { fetchText } from "./sns-message.ts";

/** How many certificates are fetched at once; others wait their turn. */
const FETCHES_AT_ONCE = 16;
const WAITING_LIMIT = 1_000;
/** How many addresses are kept whose certificate no signature has fitted yet: forgers can name any number. */
const UNPROVEN_LIMIT = 64;
const FAILURE_KEPT_MS = 10_000;

interface Kept {
  readonly certificate: Promise<X509Certificate>;
  /** Whether a signature fitted it, which only SNS can bring about. */
  proven: boolean;
  /** By the shelf's clock, in ms. */
  forgetAt: number;
}

/**
 * The certificates that messages of one topic name, each fetched once. What forgers name costs one fetch a
 * name, never pushes out a certificate that proved genuine, and never uses up what a genuine one needs:
 * fetches are limited in how many run at once, not in how many run.
 * @param elapsed a clock in ms that nobody sets
 */
export function certificateShelf(elapsed: () => number = () => performance.now()) {
  const kept = new Map<string, Kept>();
  const waiting: (() => void)[] = [];
  let fetching = 0;

  async function fetchInTurn(address: string): Promise<X509Certificate> {
    if (fetching < FETCHES_AT_ONCE) fetching += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await fetchCertificate(address);
    } finally {
      const next = waiting.shift();
      if (next === undefined) fetching -= 1;
      else next();
    }
  }

  function forgetOldestUnproven(): void {
    const unproven = [...kept].filter(([, { proven }]) => !proven);
    const [oldest] = unproven;
    if (unproven.length >= UNPROVEN_LIMIT && oldest !== undefined) kept.delete(oldest[0]);
  }

  function find(address: string): Kept {
    const known = kept.get(address);
    if (known !== undefined && elapsed() < known.forgetAt) return known;
    kept.delete(address);
    // Said before anything is kept: a genuine one that comes again may find room.
    if (waiting.length >= WAITING_LIMIT)
      throw new InvoicePaidError(
        "unreachable",
        "Too many unknown certificates are being fetched. This one is fetched when the message comes again.",
      );
    forgetOldestUnproven();
    const found: Kept = {
      certificate: fetchInTurn(address),
      proven: false,
      forgetAt: Number.POSITIVE_INFINITY,
    };
    found.certificate.catch(() => {
      found.forgetAt = elapsed() + FAILURE_KEPT_MS;
    });
    kept.set(address, found);
    return found;
  }

  return {
    /** Whether the certificate at an address fits. @throws InvoicePaidError `untrusted_certificate` or `unreachable` */
    async fits(address: string, test: (certificate: X509Certificate) => boolean): Promise<boolean> {
      const found = find(address);
      const certificate = await found.certificate;
      if (!isValidNow(certificate)) {
        found.proven = false;
        throw new InvoicePaidError(
          "untrusted_certificate",
          "The certificate that signed the message is not valid now.",
        );
      }
      if (!test(certificate)) return false;
      found.proven = true;
      // Forged names may have pushed it out while it was fetched.
      kept.set(address, found);
      return true;
    },
  };
}

/** Whether this machine's clock is within a certificate's time. */
export function isValidNow({ validFrom, validTo }: X509Certificate): boolean {
  return Date.now() >= Date.parse(validFrom) && Date.now() <= Date.parse(validTo);
}

async function fetchCertificate(address: string): Promise<X509Certificate> {
  const pem = await fetchText(address);
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
