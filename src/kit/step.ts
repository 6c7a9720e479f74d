let watcher: ((name: string) => void) | null = null;

/**
 * Marks a step by its name. It does nothing, and nothing in the environment can change that: only a test that
 * loads this module can watch, to end or halt the process exactly there.
 */
export function step(name: string): void {
  if (watcher !== null) watcher(name);
}

/** For tests alone: called with every step that is passed, before the next line runs. */
export function watchSteps(watch: (name: string) => void): void {
  watcher = watch;
}
