/**
 * Exponential back-off: doubles from `firstMs` with every fault in a row, up to `capMs`.
 * @param random from 0 to 1; spreads the delay over its upper half, so that many do not come back together.
 */
export function backOffMs(
  faults: number,
  { firstMs, capMs }: { firstMs: number; capMs: number },
  random: number = Math.random(),
): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(Math.max(faults - 1, 0), 30));
  return Math.round(full * (0.5 + random / 2));
}
