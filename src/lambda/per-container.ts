/**
 * Makes something at the first call and gives the same to all later ones of this container, which lives on
 * between invocations. When making it fails, the next call tries again.
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
