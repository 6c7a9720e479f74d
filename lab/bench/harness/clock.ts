/**
 * Milliseconds of the machine's own monotonic clock: the same in every process, so that times may be
 * compared.
 */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
