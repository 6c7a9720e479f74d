let watcher: ((name: string) => void) | null = null;

/** Does nothing in any environment: only a test that loads this can watch, to end the process there. */
export function failpoint(name: string): void {
  if (watcher !== null) watcher(name);
}

/** For tests alone: called with every step that is passed, before the next line runs. */
export function watchFailpoints(watch: (name: string) => void): void {
  watcher = watch;
}
