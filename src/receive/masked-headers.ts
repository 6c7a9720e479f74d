/** Headers that carry a secret by their nature: recorded as present, never with their value. */
const SECRET_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
]);

/** Node's raw header list as pairs, in order and with repetitions, the secret ones masked. */
export function maskedHeaders(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    pairs.push([name, SECRET_HEADERS.has(name.toLowerCase()) ? "***" : (rawHeaders[index + 1] as string)]);
  }
  return pairs;
}
