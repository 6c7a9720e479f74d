/**
 * How long a test waits for what is to come, in ms. What comes is seen at once; only what never comes takes
 * this long to be told. It is no bound that anyone promised: one processor that others keep busy has to do.
 */
export const TIMEOUT_MS = 150_000;
