import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** What the figures were measured on; `loadAtStart` well above 0 means that other programs were at work. */
export const machine = () => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? "unknown",
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
  at: new Date().toISOString(),
});
