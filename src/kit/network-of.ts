/**
 * What to count an address as, when strangers are counted: an IPv4 address as itself, `::ffff:` before it or
 * not; an IPv6 address as its /64, the first four of its eight groups, since whoever has one address has them
 * all.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (!plain.includes(":")) return plain;
  const [before = "", after] = plain.split("::");
  const [start, end] = [before, after ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = after === undefined ? 0 : Math.max(0, 8 - (start?.length ?? 0) - (end?.length ?? 0));
  return [...(start ?? []), ...Array(zeros).fill("0"), ...(end ?? [])].slice(0, 4).join(":");
}
