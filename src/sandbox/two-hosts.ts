import type { IncomingMessage } from "node:http";

/**
 * Whether a request names its host twice: Node takes the first, a proxy before it may have taken the
 * second.
 */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, nth) => nth % 2 === 0 && name.toLowerCase() === "host").length > 1;
}
