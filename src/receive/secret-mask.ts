import { withoutCallbackTokens } from "../kit/quiet-text.ts";
import type { Source } from "../kit/source.ts";

/** Headers that carry a secret by their nature: recorded as present, never with their value. */
const SECRET_HEADERS = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
];

/** Takes the secrets out of what is recorded of a request beside its body. */
export class SecretMask {
  readonly #headers: ReadonlySet<string>;
  readonly #tokens: RegExp;

  constructor(sources: readonly Source[]) {
    const configured = sources.flatMap(({ callbackChecks: { hmac, headerToken, standardWebhooks } }) => [
      ...(hmac === null ? [] : [hmac.header]),
      ...(headerToken === null ? [] : [headerToken.header]),
      ...(standardWebhooks === null ? [] : ["webhook-signature"]),
    ]);
    this.#headers = new Set([...SECRET_HEADERS, ...configured]);
    // Tokens are letters, digits, - and _: nothing in them to escape. An empty alternative would match everywhere.
    const tokens = sources.flatMap((source) => source.callbackTokens.map((token) => token.reveal()));
    this.#tokens = new RegExp(tokens.length > 0 ? tokens.join("|") : "(?!)", "g");
  }

  text(text: string): string {
    // Tokens that are ours no longer stand in callback URLs: a Referer, a proxy's X-Original-URL.
    return withoutCallbackTokens(text.replace(this.#tokens, "***"));
  }

  /** Node's raw header list as pairs, in order and with repetitions. */
  headers(rawHeaders: readonly string[]): [name: string, value: string][] {
    // Nearly no request holds a token outside its path: one look at all of it, instead of two at each header.
    const joined = rawHeaders.join("\n");
    const clean = this.text(joined) === joined;
    const mask = (text: string) => (clean ? text : this.text(text));
    const pairs: [string, string][] = [];
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      const value = rawHeaders[index + 1] ?? "";
      pairs.push([mask(name), this.#headers.has(name.toLowerCase()) ? "***" : mask(value)]);
    }
    return pairs;
  }
}
