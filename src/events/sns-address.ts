/**
 * An address at one of these origins, without credentials.
 * @returns undefined when it is none
 */
export function snsAddress(address: string, origins: readonly string[]): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return undefined;
  return origins.some((origin) => URL.canParse(origin) && new URL(origin).origin === url.origin)
    ? url
    : undefined;
}
