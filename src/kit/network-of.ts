import { isIPv6 } from "node:net";

/** How many of an IPv6 address's eight groups name the /64 network that one sender usually has to itself. */
const NETWORK_GROUPS = 4;

/**
 * What to count an address as, when strangers are counted or take turns: an IPv4 address as itself, `::ffff:`
 * before it or not; an IPv6 address as its /64, since whoever has one address there has all of them. Pure.
 * @param address as the socket or a trusted proxy says it, which may be anything.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const [head = "", tail] = plain.replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
