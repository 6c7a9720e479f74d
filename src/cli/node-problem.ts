/** The Node version that this program needs, as in package.json's `engines`. */
const NEEDED = 24;

/**
 * @returns what to tell a person whose Node is too old; null when it is new enough. Imports nothing, so that
 *   an old Node can load it.
 */
export function nodeProblem(version: string): string | null {
  const major = Number.parseInt(version, 10);
  if (major >= NEEDED) return null;
  return (
    `invoice-relay needs Node ${NEEDED}; this is ${major} (${version}). Install Node ${NEEDED}, then try ` +
    "again."
  );
}
