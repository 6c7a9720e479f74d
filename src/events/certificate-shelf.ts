import { X509Certificate } from "node:crypto";
import { fetchText } from "./fetch-text.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";

/** How many fetches are allowed at once, and how long until one more is. */
const BURST = 8;
const REFILL_MS = 10_000;
/** The most addresses kept whose certificate no signature has fitted yet: forgers can name any number. */
const MOST_UNPROVEN = 16;
const FAILURE_KEPT_MS = 10_000;

interface Kept {
  readonly certificate: Promise<X509Certificate>;
  /** Whether a signature fitted it, which only SNS can bring about. */
  proven: boolean;
  /** In ms since 1970, by the shelf's clock. */
  forgetAt: number;
}

/**
 * The certificates of one origin, each fetched once. Forgers can name any number of addresses: these cost a
 * fetch now and then, never push out a certificate that proved genuine, and beyond that are refused for the
 * moment.
 * @param now the time in ms since 1970
 */
export function certificateShelf(now: () => number = Date.now) {
  const kept = new Map<string, Kept>();
  let budget = BURST;
  let budgetAt = now();

  function spend(): void {
    budget = Math.min(BURST, budget + (now() - budgetAt) / REFILL_MS);
    budgetAt = now();
    if (budget < 1)
      throw new InvoicePaidError(
        "unreachable",
        "Too many unknown certificates were named lately. This one is fetched when the message comes again.",
      );
    budget -= 1;
  }

  function forgetOldestUnproven(): void {
    const unproven = [...kept].filter(([, { proven }]) => !proven);
    const [oldest] = unproven;
    if (unproven.length >= MOST_UNPROVEN && oldest !== undefined) kept.delete(oldest[0]);
  }

  function find(address: string): Kept {
    const known = kept.get(address);
    if (known !== undefined && now() < known.forgetAt) return known;
    kept.delete(address);
    spend();
    forgetOldestUnproven();
    const fetching: Kept = {
      certificate: fetchCertificate(address),
      proven: false,
      forgetAt: Number.POSITIVE_INFINITY,
    };
    fetching.certificate.catch(() => {
      fetching.forgetAt = now() + FAILURE_KEPT_MS;
    });
    kept.set(address, fetching);
    return fetching;
  }

  return {
    /**
     * Whether the certificate at an address fits.
     * @throws InvoicePaidError `untrusted_certificate` or `unreachable`
     */
    async fits(address: string, test: (certificate: X509Certificate) => boolean): Promise<boolean> {
      const found = find(address);
      const certificate = await found.certificate;
      if (now() < Date.parse(certificate.validFrom) || now() > Date.parse(certificate.validTo)) {
        found.proven = false;
        throw new InvoicePaidError(
          "untrusted_certificate",
          "The certificate that signed the message is not valid now.",
        );
      }
      const fits = test(certificate);
      found.proven ||= fits;
      return fits;
    },
  };
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
