import { expect } from "vitest";

/** So many tries at most: a crowded machine is quiet for one of them. */
const TRIES = 40;

const PLAIN = JSON.stringify(
  Array.from({ length: 16_000 }, (_, n) => ({
    id: n,
    amount: `${n}.50`,
    status: "Paid",
    at: null,
    vat: n / 4,
  })),
);

/** This machine's own measure: a MiB of plain JSON is parsed, written again, and masked by a pattern. */
const aPlainMib = () =>
  JSON.stringify(JSON.parse(PLAIN)).replaceAll(/"[^"]*"/g, (text) => text.toUpperCase());

/** The processor time of this thread, in ms: what others do on this machine is not measured. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

let plainMs = 0;

/**
 * Asserts that `work` costs less processor time than `times` what other work costs in the same run: reading,
 * writing and masking a MiB of plain JSON, unless said otherwise. The least of some tries counts, each beside
 * a run of the other work: a slow machine is slow at both.
 */
export function expectCheap(work: () => unknown, times: number, other: () => unknown = aPlainMib): void {
  let least = Number.POSITIVE_INFINITY;
  // For a first try the least so far does, without running it again.
  plainMs ||= Math.min(...Array.from({ length: 8 }, () => cpuMs(aPlainMib)));
  for (let tries = 0; tries < TRIES && least >= times; tries += 1) {
    const otherMs = tries === 0 && other === aPlainMib ? plainMs : cpuMs(other);
    least = Math.min(least, cpuMs(work) / otherMs);
  }
  expect(least).toBeLessThan(times);
}
