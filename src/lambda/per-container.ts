/**
 * Creates something on the first call and returns the same to later calls in this container, which survives
 * between invocations. If that fails, the next call tries again.
 */
export function perContainer<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
