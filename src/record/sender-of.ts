import { isIPv4, isIPv6 } from "node:net";

/** How many of an IPv6 address's eight groups name the /64 network that one sender usually has to itself. */
const NETWORK_GROUPS = 4;

/**
 * Who a callback came from, as far as taking turns goes: an IPv4 address, or the /64 network of an IPv6 one,
 * since whoever has one address there has all of them. Pure.
 * @param address as the socket or a trusted proxy says it; null when nobody does.
 */
export function senderOf(address: string | null): string | null {
  if (address === null) return null;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address.slice(0, 64);
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
