import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** An IPv4 address that is mapped into IPv6 is that IPv4 address; null for what is no address. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return isAddress ? ipaddr.process(text) : null;
}

/** An address as it is compared: IPv4 without `::ffff:`, IPv6 in one spelling. @returns null for what is no address. */
export function plainAddress(text: string): string | null {
  // Nearly every sender is one; parsing it costs a microsecond, five times a callback.
  if (isIPv4(text)) return text;
  return parseAddress(text)?.toString() ?? null;
}

/** Each address of X-Forwarded-For without the port that Azure's and AWS' balancers can name, and without brackets. */
export const withoutPorts = (forwarded: string): string =>
  forwarded.replaceAll(
    /(?<=^|[\s,])(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([\da-f:.]+)\](?::\d+)?)(?=$|[\s,])/gi,
    "$1$2",
  );

export const isLoopback = (text: string | undefined): boolean =>
  parseAddress(text ?? "")?.range() === "loopback";

const addressIn = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** @param host as it stands in a URL; a name may be one that is kept for this machine (RFC 6761). */
export const isLoopbackHost = (host: string): boolean =>
  /^(.*\.)?localhost$/i.test(host) || isLoopback(addressIn(host));

const PRIVATE = ["carrierGradeNat", "linkLocal", "private", "uniqueLocal", "unspecified"];

/** Whether a host of a URL is a private one, of this machine or network, that no other network reaches. */
export const isPrivateHost = (host: string): boolean =>
  isLoopbackHost(host) ||
  /\.(local|internal)$/i.test(host) ||
  PRIVATE.includes(parseAddress(addressIn(host))?.range() ?? "");

/** Whether a text is an address, or a block of them such as `203.0.113.0/24`. */
export function isAddressBlock(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (parseAddress(address) === null || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widthOf(address));
}

const widthOf = (address: string): number => (address.includes(":") ? 128 : 32);

/** The bits before an IPv4 address that is mapped into IPv6. */
const MAPPED_BITS = 96;

/** A list of addresses and blocks. */
export class AddressBlocks {
  readonly #blocks: [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param blocks each as `isAddressBlock` takes it. */
  constructor(blocks: readonly string[]) {
    this.#blocks = blocks.flatMap((block) => {
      const [text = "", bits = widthOf(text)] = block.split("/");
      const address = parseAddress(text);
      if (address === null) return [];
      const isMapped = address instanceof ipaddr.IPv4 && text.includes(":");
      return [[address, Math.max(0, Number(bits) - (isMapped ? MAPPED_BITS : 0))]];
    });
  }

  has(text: string): boolean {
    const address = parseAddress(text);
    if (address === null) return false;
    // Of one kind; the types of `match` do not say that they may be either.
    return this.#blocks.some(
      ([block, bits]) =>
        block.kind() === address.kind() && (address as ipaddr.IPv6).match(block as ipaddr.IPv6, bits),
    );
  }
}
